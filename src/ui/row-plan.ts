// How many rows each part of the live area gets, so that all of it is at most the window's rows less one, whatever
// the size: as high as the window, Ink would have to clear the scrollback. Pure.

export interface WantedRows {
  /** Answer and calls: what stands above the input. */
  readonly live: number;
  /** Prompts that wait, under the input. */
  readonly queue: number;
  /** A prompt that takes the place of the composer: it has its own least. */
  readonly modal: boolean;
  readonly composer: number;
  readonly menu: number;
}

export interface RowPlan {
  readonly live: number;
  readonly modal: number;
  /** Around the composer; above a modal only. */
  readonly rules: boolean;
  readonly composer: number;
  readonly queue: number;
  readonly menu: number;
  readonly status: boolean;
}

const maxMenu = 8;
const roomy = 9;

export function planRows(windowRows: number, wanted: WantedRows): RowPlan {
  const all = Math.max(1, windowRows - 1);
  return wanted.modal ? planModal(all, wanted) : planInput(all, wanted);
}

function planModal(all: number, wanted: WantedRows): RowPlan {
  const status = all >= 4;
  const rules = all >= roomy;
  const rest = all - (status ? 1 : 0) - (rules ? 1 : 0);
  const live = rest >= 12 ? Math.min(wanted.live, Math.floor(rest / 3)) : 0;
  return { live, modal: rest - live, rules, composer: 0, queue: 0, menu: 0, status };
}

function planInput(all: number, wanted: WantedRows): RowPlan {
  const status = all >= 2;
  const rules = all >= roomy;
  const fixed = (status ? 1 : 0) + (rules ? 2 : 0);
  const free = all - fixed - wanted.live - wanted.queue - wanted.menu;
  const composer = Math.max(1, Math.min(wanted.composer, Math.max(Math.floor(all / 3), Math.min(free, roomy))));
  const menu = Math.min(wanted.menu, maxMenu, all - fixed - composer);
  const queue = Math.min(wanted.queue, all - fixed - composer - menu);
  const live = Math.min(wanted.live, all - fixed - composer - menu - queue);
  return { live, modal: 0, rules, composer, queue, menu, status };
}
