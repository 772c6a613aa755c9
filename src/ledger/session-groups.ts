// Sessions by project: the root of their repository, else their folder. Counted and summed by SQLite over all that fit,
// however few of the groups are shown.
import type { Database } from "./open.ts";
import { conditionOf, foldedWords, type SessionFilter } from "./session-list.ts";
import type { SessionId } from "./types.ts";
import { type ModelUsage, type ModelUsageRow, SUMS, toModelUsage } from "./usage.ts";

export interface ProjectGroup {
  readonly project: string;
  readonly sessions: number;
  /** ms since the epoch */
  readonly lastActivityAt: number;
  /** Of all generations of its conversations, by model. */
  readonly usage: readonly ModelUsage[];
}

const PROJECT = "coalesce(s.git_root, s.cwd)";

type GroupRow = Omit<ProjectGroup, "usage">;
type UsageOfGroup = ModelUsageRow & { readonly project: string };

export function sessionGroupQueries(db: Database) {
  return {
    /** Newest first. `only`: of the sessions that fit, these. */
    byProject(filter: SessionFilter, only?: readonly SessionId[]): ProjectGroup[] {
      const words = foldedWords(filter.words ?? "");
      const { state: _, ...others } = filter;
      const condition = only ? "s.id in (select value from json_each(@only))" : "1";
      const fits = `${conditionOf(only ? others : filter, words)} and ${condition}`;
      const values = { ...filter, words: JSON.stringify(words), only: JSON.stringify(only ?? []) };
      const groups = db.prepare<[object], GroupRow>(
        `select ${PROJECT} as project, count(*) as sessions, max(s.last_activity_at) as lastActivityAt
         from sessions s where ${fits} group by 1 order by 3 desc, 1`,
      );
      const spent = db.prepare<[object], UsageOfGroup>(
        `with listed as materialized (select s.conversation_id as conversation, ${PROJECT} as project
           from sessions s where ${fits})
         select project, ${SUMS} from (select l.project, u.* from listed l
           join sessions g on g.conversation_id = l.conversation join model_usage u on u.session_id = g.id)
         group by project, provider, model`,
      );
      const usage = new Map<string, ModelUsage[]>();
      for (const row of spent.all(values))
        usage.set(row.project, [...(usage.get(row.project) ?? []), toModelUsage(row)]);
      return groups.all(values).map((row) => ({ ...row, usage: usage.get(row.project) ?? [] }));
    },
  };
}
