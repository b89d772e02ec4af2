import { type Json, parseJson, stringifyJson } from '../../core/json.ts'
import type { Actor } from '../../core/run.ts'
import type { Redact } from '../../core/secrets.ts'
import type { Act } from '../audit-log.ts'
import type {
  Deployment,
  DeploymentNews,
  Deployments,
  DeployOrders,
  DeployStanding,
  RepositoryLook,
} from '../deployments.ts'
import type { AddAct } from './audit.ts'
import { textColumn } from './run-row.ts'
import { changesOf, type Row, rowOf, rowsOf, type Sql, send, type Work } from './work.ts'

/** The names of facts about deployments. */
type Mark = 'look' | 'paused' | 'skipped' | 'asked' | 'turn'

type New = Parameters<Deployments['deploy']>[0]

export function createDeployments(sql: Sql, { redact, addAct }: { redact: Redact; addAct: AddAct }): Deployments {
  const noted = (data: unknown) => redact(stringifyJson(data as Json))

  function* mark(name: Mark, data: unknown): Work<void> {
    yield* send(
      `INSERT INTO audience.deployment_marks (name, data) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET data = excluded.data`,
      [name, noted(data)],
    )
  }

  const forget = (name: Mark) => changesOf('DELETE FROM audience.deployment_marks WHERE name = $1', [name])

  function* tell(news: DeploymentNews | undefined): Work<void> {
    if (news) yield* send(TELL, [noted(news)])
  }

  /**
   * Ends the current turn. This is the first statement of each change, so changes run one after the other and cannot
   * deadlock.
   */
  function* endTurn(): Work<void> {
    yield* send(NEXT_TURN)
  }

  /** Ends a turn. Returns false if the turn is already over. */
  function* take({ turn }: DeployStanding): Work<boolean> {
    const values = [String(turn + 1), String(turn)]
    return (yield* turn === 0 ? changesOf(FIRST_TURN) : changesOf(TAKE_TURN, values)) === 1
  }

  function* add(one: New, act: Deployment['act'], after: number, actor: Partial<Actor>): Work<boolean> {
    const newest = Number((yield* rowOf('SELECT coalesce(max(id), 0) AS id FROM audience.deployments'))?.id)
    if (newest !== after) return false
    const who = [actor.by, actor.comment].map((text) => text && redact(text))
    const its = [one.commit, act, one.at, redact(one.subject), redact(one.author), one.committedAt, one.pipelines]
    // If two processes add the same number, one of them changes nothing.
    return (yield* changesOf(ADD, [after + 1, ...its, ...who])) === 1
  }

  const actOf = (actor: Actor, act: Act['act'], subject: string, detail?: string) =>
    addAct({ ...actor, act, subject, detail, outcome: 'done' })

  async function current(): Promise<Deployment | undefined> {
    const row = await sql.read(rowOf('SELECT * FROM audience.deployments ORDER BY id DESC LIMIT 1'))
    return row && deploymentOf(row)
  }

  return {
    current,
    list: async (limit) =>
      (await sql.read(rowsOf('SELECT * FROM audience.deployments ORDER BY id DESC LIMIT $1', [limit]))).map(
        deploymentOf,
      ),
    deploy: (one, { after, look, news }) =>
      sql.transaction(function* () {
        if (!(yield* take(after)) || !(yield* add(one, 'deploy', after.current?.id ?? 0, {}))) return false
        yield* mark('look', look)
        yield* forget('skipped')
        yield* tell(news)
        return true
      }),
    rollBack: (one, { after, skips }, actor) =>
      sql.transaction(function* () {
        yield* endTurn()
        if (!(yield* add(one, 'rollBack', after, actor))) return false
        if (skips !== undefined) yield* mark('skipped', skips)
        yield* actOf(actor, 'deploy.rollback', one.commit, skips === undefined ? undefined : `skips ${skips}`)
        return true
      }),
    noteLook: (look, { after, news }) =>
      sql.transaction(function* () {
        if (!(yield* take(after))) return false
        yield* mark('look', look)
        yield* tell(news)
        return true
      }),
    async standing() {
      // The turn is read first. If a later change can still end this turn, nothing that was read here has changed in
      // the meantime.
      const marks = new Map(
        (await sql.read(rowsOf('SELECT name, data FROM audience.deployment_marks'))).map(({ name, data }) => [
          String(name),
          parseJson(String(data)),
        ]),
      )
      // Only `mark` and the turns write this column.
      const of = <T>(name: Mark) => marks.get(name) as T | undefined
      const orders = {
        paused: of<NonNullable<DeployOrders['paused']>>('paused'),
        skipped: of<string>('skipped'),
        askedAt: of<number>('asked'),
      }
      return { turn: of<number>('turn') ?? 0, look: of<RepositoryLook>('look'), orders, current: await current() }
    },
    pause: (at, actor) =>
      sql.transaction(function* () {
        yield* endTurn()
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
const FIRST_TURN = `INSERT INTO audience.deployment_marks (name, data) VALUES ('turn', '1') ON CONFLICT DO NOTHING`
const TAKE_TURN = `UPDATE audience.deployment_marks SET data = $1 WHERE name = 'turn' AND data = $2`
const NEXT_TURN = `INSERT INTO audience.deployment_marks (name, data) VALUES ('turn', '1')
  ON CONFLICT (name) DO UPDATE SET data = CAST(CAST(deployment_marks.data AS bigint) + 1 AS text)`
/** Like the database triggers, this records an event only while recording is on. */
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
