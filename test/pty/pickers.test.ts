// Going to another conversation by the list of them, in the built program.
import { describe, expect, it } from "vitest";
import { openStele, ready, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";

describe("the list of conversations", () => {
  it("shows the last exchange beside at 100 columns, below at 80, and goes where one chooses", async () => {
    const place = workplace();
    await place.stele(["run", "say the first answer"]);
    await place.stele(["run", "say another"]);
    const stele = openStele(place, [], { cols: 110, rows: 30 });
    await type(stele, "/resume");
    await stele.waitFor(/❯ +say another .*1 turn .*│ › say another/);
    stele.write("frst");
    await stele.waitFor(/\(1 of 2\)/);
    await stele.waitFor(/❯ +say the first answer .*│ › say the first answer\n.*│ ● the first answer/);
    stele.resize(80, 30);
    await stele.waitFor(/❯ +say the first answer[^│]*\n(.*\n)+ *─+\n› say the first answer\n● the first answer/);
    stele.write("\r");
    await stele.waitFor(/“say the first answer” · 1 turn/);
    await ready(stele);
    await type(stele, "/sessions");
    await stele.waitFor(/Conversations \(2\)/);
    stele.write("nothing of it");
    await stele.waitFor(/nothing fits "nothing of it"/);
    stele.write("\x03");
    await ready(stele);
    expect(stele.screen().join("\n")).not.toContain("Conversations");
  });
});
