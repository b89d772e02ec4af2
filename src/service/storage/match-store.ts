import type { DatabaseSync } from 'node:sqlite'
import type { MatchStatus, ResultContent, Signal } from '../../contract/enumerations.ts'
import type { RowRange } from './page.ts'
import { statementsOf } from './statement.ts'

interface NewMatch {
  /** The id of the job that creates it (decision 71). */
  readonly id: string
  readonly requester: number
  /** The partner; null for a group match. */
  readonly approver: number | null
  readonly groupId: string | null
  readonly segmentId: string
  readonly deliveryScopes: readonly string[]
  readonly shareSegmentName: boolean
  readonly accessBgIds: boolean
  readonly spi: boolean
  readonly returnUnmatchedBgIds: boolean
  readonly status: MatchStatus
}

/** A match, with the fields of its segment that the match shows. */
export interface StoredMatch extends NewMatch {
  readonly matchCount: number
  readonly matchJobId: string
  readonly shaveOffPercent: number | null
  readonly controlHoldoutPercent: number | null
  readonly setFile: string | null
  readonly splitFile: string | null
  readonly segment: MatchedSegment
}

interface MatchedSegment {
  readonly owner: number
  readonly state: 'live' | 'deleted'
  /** The name that the requester sees; empty if the segment's owner did not share it. */
  readonly segmentName: string
  readonly participantSegmentId: string
  readonly dataOwner: string | null
  readonly description: string | null
  readonly uploadSignal: Signal
  readonly resultContent: ResultContent
}

interface MatchFilter {
  /** Only matches that the participant requested. */
  readonly requester: boolean
  /** Only matches whose segment has exactly this name, as the participant sees it. */
  readonly segmentName?: string | undefined
  readonly status?: string | undefined
}

export interface MatchStore {
  insert(match: NewMatch): void
  find(id: string): StoredMatch | undefined
  findVisible(participant: number, id: string): StoredMatch | undefined
  list(participant: number, filter: MatchFilter, range: RowRange): StoredMatch[]
  /** The matches of all participants, newest first. */
  report(limit: number): StoredMatch[]
  /** Whether a match of the same segment, with the same counterpart and scopes, is being made (decision 82). */
  isBeingMade(match: Pick<NewMatch, 'requester' | 'approver' | 'groupId' | 'segmentId' | 'deliveryScopes'>): boolean
  setStatus(id: string, status: MatchStatus): void
  /** Stores a job's result in the match. */
  finish(
    id: string,
    result: { matchCount: number; matchJobId: string; setFile: string; splitFile: string | null },
  ): void
  setSplit(id: string, split: { shaveOffPercent: number; controlHoldoutPercent: number }): void
  delete(id: string): void
  usesSet(file: string): boolean
}

type Flags = 'shareSegmentName' | 'accessBgIds' | 'spi' | 'returnUnmatchedBgIds'
type Row = Omit<StoredMatch, Flags | 'deliveryScopes' | 'segment'> &
  MatchedSegment &
  Record<Flags, number> & { deliveryScopes: string }

/**
 * The segment's name as the requester sees it: the real name if the requester owns the segment or the owner shared the
 * name, otherwise an empty text.
 */
const NAME = `CASE WHEN s.owner = m.requester THEN s.segment_name ELSE COALESCE(
  (SELECT s.segment_name FROM segment_access a WHERE a.participant = m.requester AND a.seq = s.seq AND a.name_shared = 1), '') END`

const COLUMNS = `CAST(m.id AS TEXT) AS id, m.requester, m.approver, m.group_id AS groupId, m.segment_id AS segmentId,
  m.delivery_scopes AS deliveryScopes, m.share_segment_name AS shareSegmentName, m.access_bg_ids AS accessBgIds, m.spi,
  m.return_unmatched_bg_ids AS returnUnmatchedBgIds, m.status, m.match_count AS matchCount,
  CAST(m.match_job_id AS TEXT) AS matchJobId, m.shave_off_percent AS shaveOffPercent,
  m.control_holdout_percent AS controlHoldoutPercent, m.set_file AS setFile, m.split_file AS splitFile,
  s.owner, s.state, ${NAME} AS segmentName, s.participant_segment_id AS participantSegmentId, s.data_owner AS dataOwner,
  s.description, s.upload_signal AS uploadSignal, s.result_content AS resultContent`
const SOURCE = 'matches m JOIN segments s ON s.id = m.segment_id'

export function createMatchStore(db: DatabaseSync): MatchStore {
  const statement = statementsOf(db)
  const matches = (sql: string) => statement(sql, storedMatch)
  const insert = statement(`INSERT INTO matches (id, requester, approver, group_id, segment_id, delivery_scopes,
      share_segment_name, access_bg_ids, spi, return_unmatched_bg_ids, status, match_job_id)
      VALUES (:id, :requester, :approver, :groupId, :segmentId, :deliveryScopes, :shareSegmentName,
      :accessBgIds, :spi, :returnUnmatchedBgIds, :status, :id)`)
  const grant = statement(
    'INSERT INTO match_access (participant, match_id) VALUES (:participant, :id) ON CONFLICT DO NOTHING',
  )
  const find = matches(`SELECT ${COLUMNS} FROM ${SOURCE} WHERE m.id = :id`)
  const findVisible = matches(`SELECT ${COLUMNS} FROM ${SOURCE} WHERE m.id = :id
      AND EXISTS (SELECT 1 FROM match_access WHERE participant = :participant AND match_id = :id)`)
  const listAll = matches(`WITH page AS (
      SELECT match_id FROM match_access WHERE participant = :participant ORDER BY match_id LIMIT :limit OFFSET :offset)
      SELECT ${COLUMNS} FROM page CROSS JOIN matches m ON m.id = page.match_id JOIN segments s ON s.id = m.segment_id
      ORDER BY m.id`)
  const listSome = matches(`SELECT ${COLUMNS} FROM match_access a CROSS JOIN matches m ON m.id = a.match_id
      JOIN segments s ON s.id = m.segment_id WHERE a.participant = :participant
        AND (:requester = 0 OR m.requester = :participant)
        AND (:status IS NULL OR m.status = :status)
        AND (:segmentName IS NULL OR :segmentName =
          CASE WHEN m.requester = :participant OR m.share_segment_name = 1 THEN ${NAME} ELSE '' END)
      ORDER BY a.match_id LIMIT :limit OFFSET :offset`)
  const report = matches(`SELECT ${COLUMNS} FROM ${SOURCE} ORDER BY m.id DESC LIMIT :limit`)
  const same = statement(`SELECT 1 FROM matches m WHERE m.segment_id = :segmentId AND m.requester = :requester
      AND m.approver IS :approver AND m.group_id IS :groupId AND m.delivery_scopes = :deliveryScopes
      AND EXISTS (SELECT 1 FROM jobs WHERE active = 1 AND match_id = m.id)`)
  const setStatus = statement('UPDATE matches SET status = :status WHERE id = :id')
  const finish = statement(`UPDATE matches SET status = 'FINISHED', match_count = :matchCount,
      match_job_id = :matchJobId, set_file = :setFile, split_file = :splitFile WHERE id = :id`)
  const setSplit = statement(`UPDATE matches SET shave_off_percent = :shaveOffPercent,
      control_holdout_percent = :controlHoldoutPercent WHERE id = :id`)
  const remove = statement('DELETE FROM matches WHERE id = :id')
  // The table is ordered by participant. So the statement names the participants that have access, and does not read
  // the whole table.
  const revoke = statement(`DELETE FROM match_access WHERE match_id = :id AND participant IN (
      SELECT requester FROM matches WHERE id = :id UNION ALL SELECT approver FROM matches WHERE id = :id)`)
  const uses = statement(
    'SELECT 1 FROM matches WHERE set_file = :file UNION ALL SELECT 1 FROM matches WHERE split_file = :file',
  )

  return {
    insert(match) {
      const id = BigInt(match.id)
      insert.run({ ...match, id, deliveryScopes: JSON.stringify(match.deliveryScopes) })
      grant.run({ id, participant: match.requester })
      if (match.approver !== null) grant.run({ id, participant: match.approver })
    },
    find: (id) => find.get({ id: BigInt(id) }),
    findVisible: (participant, id) => findVisible.get({ participant, id: BigInt(id) }),
    list(participant, filter, range) {
      const plain = !filter.requester && filter.segmentName === undefined && filter.status === undefined
      return plain
        ? listAll.all({ participant, ...range })
        : listSome.all({ participant, segmentName: undefined, status: undefined, ...filter, ...range })
    },
    report: (limit) => report.all({ limit }),
    isBeingMade: ({ requester, approver, groupId, segmentId, deliveryScopes }) =>
      same.get({ requester, approver, groupId, segmentId, deliveryScopes: JSON.stringify(deliveryScopes) }) !==
      undefined,
    setStatus: (id, status) => void setStatus.run({ id: BigInt(id), status }),
    finish: (id, result) => void finish.run({ ...result, id: BigInt(id), matchJobId: BigInt(result.matchJobId) }),
    setSplit: (id, split) => void setSplit.run({ id: BigInt(id), ...split }),
    delete(id) {
      revoke.run({ id: BigInt(id) })
      remove.run({ id: BigInt(id) })
    },
    usesSet: (file) => uses.get({ file }) !== undefined,
  }
}

function storedMatch(row: Row): StoredMatch {
  const {
    owner,
    state,
    segmentName,
    participantSegmentId,
    dataOwner,
    description,
    uploadSignal,
    resultContent,
    ...rest
  } = row
  return {
    ...rest,
    deliveryScopes: JSON.parse(row.deliveryScopes),
    shareSegmentName: row.shareSegmentName === 1,
    accessBgIds: row.accessBgIds === 1,
    spi: row.spi === 1,
    returnUnmatchedBgIds: row.returnUnmatchedBgIds === 1,
    segment: { owner, state, segmentName, participantSegmentId, dataOwner, description, uploadSignal, resultContent },
  }
}
