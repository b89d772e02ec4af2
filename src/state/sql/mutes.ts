import { DAY_MS } from '../../core/duration.ts'
import { utcTime } from '../../core/format/time-text.ts'
import type { Redact } from '../../core/secrets.ts'
import type { Mute, Mutes } from '../mutes.ts'
import type { AddAct } from './audit.ts'
import { textColumn } from './run-row.ts'
import { changesOf, type Row, rowsOf, type Sql, send } from './work.ts'

/** How long a mute is kept after its end. */
const KEEP_MS = 30 * DAY_MS

export function createMutes(sql: Sql, { redact, addAct }: { redact: Redact; addAct: AddAct }): Mutes {
  return {
    list: async (after) => (await sql.read(rowsOf(LIST, [after]))).map(muteOf),
    mute: ({ pipelines, since, until }, actor) =>
      sql.transaction(function* () {
        const { by, comment } = actor
        yield* send('DELETE FROM audience.mutes WHERE until < $1', [since - KEEP_MS])
        yield* send(END, [pipelines, since])
        yield* send(ADD, [pipelines, since, until, by && redact(by), comment && redact(comment)])
        const detail = `until ${utcTime(until)}`
        yield* addAct({ ...actor, act: 'notify.mute', subject: pipelines, detail, outcome: 'done' })
      }),
    unmute: (pipelines, at, actor) =>
      sql.transaction(function* () {
        if ((yield* changesOf(END, [pipelines, at])) === 0) return false
        yield* addAct({ ...actor, act: 'notify.unmute', subject: pipelines, outcome: 'done' })
        return true
      }),
  }
}

const LIST = 'SELECT * FROM audience.mutes WHERE until > $1 ORDER BY until, pipelines'
const END = 'UPDATE audience.mutes SET until = $2 WHERE pipelines = $1 AND until > $2'
const ADD = `INSERT INTO audience.mutes (pipelines, since, until, who, comment) VALUES ($1, $2, $3, $4, $5)`

function muteOf(row: Row): Mute {
  return {
    pipelines: String(row.pipelines),
    since: Number(row.since),
    until: Number(row.until),
    by: textColumn(row.who),
    comment: textColumn(row.comment),
  }
}
