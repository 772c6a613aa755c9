// What something costs, told apart from how busy the machine is: time that this process had a core for, in ms.
export function cpuTime(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
