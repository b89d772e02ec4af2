import type { DatabaseSync } from 'node:sqlite'
import type { ActivationWork } from '../jobs/job.ts'
import type { RowRange } from './page.ts'
import { statementsOf } from './statement.ts'

interface NewActivation extends Readonly<Omit<ActivationWork, 'kind' | 'approval'>> {
  readonly requester: number
  readonly matchId: string
  readonly segmentId: string
  readonly status: string
}

export type StoredActivation = NewActivation & { readonly id: string }

export interface ActivationStore {
  /** Returns the new id. */
  insert(activation: NewActivation): string
  findVisible(participant: number, id: string): StoredActivation | undefined
  list(participant: number, range: RowRange): StoredActivation[]
  /** The activations of all participants, newest first. */
  report(limit: number): StoredActivation[]
  delete(id: string): void
}

type Row = Omit<StoredActivation, 'spi' | 'deliveryScopes'> & { spi: number; deliveryScopes: string }

const COLUMNS = `CAST(a.id AS TEXT) AS id, a.requester, a.approver, CAST(a.match_id AS TEXT) AS matchId,
  a.segment_id AS segmentId, a.activation_name AS activationName, a.status, a.spi, a.delivery_scopes AS deliveryScopes,
  a.campaign, a.agency, a.brand, a.campaign_start_date AS campaignStartDate, a.campaign_end_date AS campaignEndDate,
  a.refresh_rate AS refreshRate`

export function createActivationStore(db: DatabaseSync): ActivationStore {
  const statement = statementsOf(db)
  const activations = (sql: string) => statement(sql, storedActivation)
  const insert = statement<{
    id: string
  }>(`INSERT INTO activations (requester, approver, match_id, segment_id, activation_name, status, spi, delivery_scopes,
      campaign, agency, brand, campaign_start_date, campaign_end_date, refresh_rate)
      VALUES (:requester, :approver, :matchId, :segmentId, :activationName, :status, :spi, :deliveryScopes,
      :campaign, :agency, :brand, :campaignStartDate, :campaignEndDate, :refreshRate)
      RETURNING CAST(id AS TEXT) AS id`)
  const grant = statement(
    'INSERT INTO activation_access (participant, activation_id) VALUES (:participant, :id) ON CONFLICT DO NOTHING',
  )
  const find = activations(`SELECT ${COLUMNS} FROM activations a WHERE a.id = :id
      AND EXISTS (SELECT 1 FROM activation_access WHERE participant = :participant AND activation_id = :id)`)
  const list = activations(`WITH page AS (
      SELECT activation_id FROM activation_access WHERE participant = :participant
      ORDER BY activation_id LIMIT :limit OFFSET :offset)
      SELECT ${COLUMNS} FROM page CROSS JOIN activations a ON a.id = page.activation_id ORDER BY a.id`)
  const report = activations(`SELECT ${COLUMNS} FROM activations a ORDER BY a.id DESC LIMIT :limit`)
  const remove = statement('DELETE FROM activations WHERE id = :id')
  // The table is ordered by participant. So the statement names the participants that have access, and does not read
  // the whole table.
  const revoke = statement(`DELETE FROM activation_access WHERE activation_id = :id AND participant IN (
      SELECT requester FROM activations WHERE id = :id UNION ALL SELECT approver FROM activations WHERE id = :id)`)

  return {
    insert(activation) {
      const row = insert.get({
        ...activation,
        matchId: BigInt(activation.matchId),
        deliveryScopes: JSON.stringify(activation.deliveryScopes),
      })
      if (!row) throw new Error('inserting an activation returned no id')
      grant.run({ id: BigInt(row.id), participant: activation.requester })
      if (activation.approver !== null) grant.run({ id: BigInt(row.id), participant: activation.approver })
      return row.id
    },
    findVisible: (participant, id) => find.get({ participant, id: BigInt(id) }),
    list: (participant, range) => list.all({ participant, ...range }),
    report: (limit) => report.all({ limit }),
    delete(id) {
      revoke.run({ id: BigInt(id) })
      remove.run({ id: BigInt(id) })
    },
  }
}

function storedActivation(row: Row): StoredActivation {
  return { ...row, spi: row.spi === 1, deliveryScopes: JSON.parse(row.deliveryScopes) }
}
