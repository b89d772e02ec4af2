import { type Json, parseJson, stringifyJson } from '../../core/json.ts'
import type { Actor } from '../../core/run.ts'
import type { Redact } from '../../core/secrets.ts'
import type { Act } from '../audit-log.ts'
import type { Deployment, DeploymentNews, Deployments, DeployOrders, RemoteLook } from '../deployments.ts'
import type { AddAct } from './audit.ts'
import { textColumn } from './run-row.ts'
import { changesOf, type Row, rowOf, rowsOf, type Sql, send, type Work } from './work.ts'

/** Single facts, by name. */
type Mark = 'look' | 'paused' | 'skipped' | 'asked'

type New = Parameters<Deployments['deploy']>[0]

export function createDeployments(
  sql: Sql,
  { redact, addAct }: { readonly redact: Redact; readonly addAct: AddAct },
): Deployments {
  const noted = (data: unknown) => redact(stringifyJson(data as Json))

  function* mark(name: Mark, data: unknown): Work<void> {
    yield* send(
      `INSERT INTO audience.deployment_marks (name, data) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET data = excluded.data`,
      [name, noted(data)],
    )
  }

  async function markOf<T>(name: Mark): Promise<T | undefined> {
    const row = await sql.read(rowOf('SELECT data FROM audience.deployment_marks WHERE name = $1', [name]))
    // Only `mark` writes this column.
    return row && (parseJson(String(row.data)) as T)
  }

  const forget = (name: Mark) => changesOf('DELETE FROM audience.deployment_marks WHERE name = $1', [name])

  function* tell(news: DeploymentNews | undefined): Work<void> {
    if (news) yield* send(TELL, [noted(news)])
  }

  function* add(one: New, act: Deployment['act'], after: number, actor: Partial<Actor>): Work<boolean> {
    const newest = Number((yield* rowOf('SELECT coalesce(max(id), 0) AS id FROM audience.deployments'))?.id)
    if (newest !== after) return false
    const who = [actor.by, actor.comment].map((each) => (each === undefined ? null : redact(each)))
    const its = [one.commit, act, one.at, redact(one.subject), redact(one.author), one.committedAt, one.pipelines]
    // Of two that add the same number, one changes nothing.
    return (yield* changesOf(ADD, [after + 1, ...its, ...who])) === 1
  }

  const actOf = (actor: Actor, act: Act['act'], subject: string, detail?: string) =>
    addAct({ ...actor, act, subject, detail, outcome: 'done' })

  return {
    async current() {
      const row = await sql.read(rowOf('SELECT * FROM audience.deployments ORDER BY id DESC LIMIT 1'))
      return row && deploymentOf(row)
    },
    list: async (limit) =>
      (await sql.read(rowsOf('SELECT * FROM audience.deployments ORDER BY id DESC LIMIT $1', [limit]))).map(
        deploymentOf,
      ),
    deploy: (one, { after, look, news }) =>
      sql.transaction(function* () {
        if (!(yield* add(one, 'deploy', after, {}))) return false
        yield* mark('look', look)
        yield* forget('skipped')
        yield* tell(news)
        return true
      }),
    rollBack: (one, { after, skips }, actor) =>
      sql.transaction(function* () {
        if (!(yield* add(one, 'rollBack', after, actor))) return false
        if (skips !== undefined) yield* mark('skipped', skips)
        yield* actOf(actor, 'deploy.rollback', one.commit, skips === undefined ? undefined : `skips ${skips}`)
        return true
      }),
    look: () => markOf<RemoteLook>('look'),
    noteLook: (look, news) =>
      sql.transaction(function* () {
        yield* mark('look', look)
        yield* tell(news)
      }),
    async orders() {
      const paused = await markOf<NonNullable<DeployOrders['paused']>>('paused')
      return { paused, skipped: await markOf<string>('skipped'), askedAt: await markOf<number>('asked') }
    },
    pause: (at, actor) =>
      sql.transaction(function* () {
        yield* mark('paused', { at, by: actor.by, comment: actor.comment })
        yield* actOf(actor, 'deploy.pause', 'deployments')
      }),
    resume: (actor) =>
      sql.transaction(function* () {
        if ((yield* forget('paused')) === 0) return false
        yield* actOf(actor, 'deploy.resume', 'deployments')
        return true
      }),
    ask: (at, actor) =>
      sql.transaction(function* () {
        yield* mark('asked', at)
        yield* actOf(actor, 'deploy.now', 'deployments')
      }),
  }
}

const ADD = `INSERT INTO audience.deployments
    (id, commit_id, act, at, subject, author, committed_at, pipelines, who, comment)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`
/** As the triggers of the database do: only while somebody listens. */
const TELL = `INSERT INTO audience.outbox_events (kind, data)
  SELECT 'deployment', $1::text FROM audience.checkpoints WHERE name = 'notify'`

function deploymentOf(row: Row): Deployment {
  return {
    id: Number(row.id),
    commit: String(row.commit_id),
    // Only `add` writes this column.
    act: String(row.act) as Deployment['act'],
    at: Number(row.at),
    subject: String(row.subject),
    author: String(row.author),
    committedAt: Number(row.committed_at),
    pipelines: Number(row.pipelines),
    by: textColumn(row.who),
    comment: textColumn(row.comment),
  }
}
