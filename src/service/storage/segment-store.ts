import type { DatabaseSync } from 'node:sqlite'
import type { ResultContent, Signal } from '../../contract/enumerations.ts'
import type { InputOf } from '../../contract/operations.ts'
import type { RowRange } from './page.ts'
import { statementsOf } from './statement.ts'

/** The metadata that a participant gives a segment. */
export interface SegmentMetadata {
  readonly segmentName: string
  readonly cpm: number | null
  readonly dataOwner: string | null
  readonly category: string | null
  readonly subCategory: string | null
  readonly description: string | null
  readonly spi: boolean
}

interface NewSegment extends SegmentMetadata {
  readonly id: string
  readonly owner: number
  readonly participantSegmentId: string
  readonly segmentFileName: string
  readonly uploadSignal: Signal
  readonly resultContent: ResultContent
  readonly uploadDateWithSignals: boolean | null
  readonly providerId: number | null
}

/** A segment that was built at least once. A deleted segment is kept for the matches that were made with it. */
export interface StoredSegment extends NewSegment {
  readonly state: 'building' | 'live' | 'deleted'
  /** The file with its members; null before the first build and after deletion. */
  readonly setFile: string | null
  readonly members: number
}

/** A segment as one participant sees it. */
export type VisibleSegment = StoredSegment & { readonly nameShared: boolean }

type SegmentFilter = Omit<InputOf<'segments.list'>, 'page' | 'pageSize'>

export interface SegmentStore {
  /** Reserves the id and the participant's own id. The segment is invisible before `publish`. */
  insert(segment: NewSegment): void
  /** Whether the participant's own id is taken, even by a segment that is still being built (decision 43). */
  isTaken(owner: number, participantSegmentId: string): boolean
  find(id: string): StoredSegment | undefined
  findVisible(participant: number, id: string): VisibleSegment | undefined
  list(participant: number, filter: SegmentFilter, range: RowRange): VisibleSegment[]
  /** The segments of all participants, without deleted ones, newest first. */
  report(limit: number): StoredSegment[]
  update(id: string, metadata: SegmentMetadata): void
  /** Stores a built set as the segment's content, and makes the segment visible to its owner. */
  publish(id: string, built: { setFile: string; members: number; segmentFileName: string }): void
  /** Makes the segment visible to a participant. */
  grant(id: string, participant: number, options: { nameShared: boolean }): void
  /** Removes a segment whose first build failed. */
  forget(id: string): void
  delete(id: string): void
  usesSet(setFile: string): boolean
}

type Row = Omit<VisibleSegment, 'uploadDateWithSignals' | 'spi' | 'nameShared'> & {
  uploadDateWithSignals: number | null
  spi: number
  nameShared: number
}

const COLUMNS = `s.id, s.owner, s.state, s.participant_segment_id AS participantSegmentId, s.segment_name AS segmentName,
  s.segment_file_name AS segmentFileName, s.upload_signal AS uploadSignal, s.result_content AS resultContent,
  s.upload_date_with_signals AS uploadDateWithSignals, s.provider_id AS providerId, s.cpm, s.data_owner AS dataOwner,
  s.category, s.sub_category AS subCategory, s.description, s.spi, s.set_file AS setFile, s.members`

export function createSegmentStore(db: DatabaseSync): SegmentStore {
  const statement = statementsOf(db)
  const segments = (sql: string) => statement(sql, visibleSegment)
  const insert = statement(`INSERT INTO segments (id, owner, state, participant_segment_id, segment_name,
      segment_file_name, upload_signal, result_content, upload_date_with_signals, provider_id, cpm, data_owner, category,
      sub_category, description, spi)
      VALUES (:id, :owner, 'building', :participantSegmentId, :segmentName, :segmentFileName, :uploadSignal,
      :resultContent, :uploadDateWithSignals, :providerId, :cpm, :dataOwner, :category, :subCategory, :description, :spi)`)
  const taken = statement(
    `SELECT 1 FROM segments WHERE owner = :owner AND participant_segment_id = :participantSegmentId AND state <> 'deleted'`,
  )
  const find = segments(`SELECT ${COLUMNS}, 1 AS nameShared FROM segments s WHERE s.id = :id`)
  const findVisible = segments(`SELECT ${COLUMNS}, a.name_shared AS nameShared FROM segments s
      JOIN segment_access a ON a.seq = s.seq AND a.participant = :participant WHERE s.id = :id`)
  const list = segments(`WITH page AS (
      SELECT seq, name_shared FROM segment_access WHERE participant = :participant
        AND (:uploadSignal IS NULL OR upload_signal = :uploadSignal)
        AND (:resultContent IS NULL OR result_content = :resultContent)
        AND (:providerId IS NULL OR provider_id = :providerId)
      ORDER BY seq LIMIT :limit OFFSET :offset)
      SELECT ${COLUMNS}, page.name_shared AS nameShared FROM page JOIN segments s ON s.seq = page.seq ORDER BY s.seq`)
  const report = segments(
    `SELECT ${COLUMNS}, 1 AS nameShared FROM segments s WHERE s.state <> 'deleted' ORDER BY s.seq DESC LIMIT :limit`,
  )
  // The redundant condition on deleted segments lets SQLite use the index of segments that are not deleted.
  const findOwn = statement<{ id: string }>(`SELECT id FROM segments WHERE owner = :owner
      AND participant_segment_id = :participantSegmentId AND state <> 'deleted' AND state = 'live'`)
  const update = statement(`UPDATE segments SET segment_name = :segmentName, cpm = :cpm, data_owner = :dataOwner,
      category = :category, sub_category = :subCategory, description = :description, spi = :spi WHERE id = :id`)
  const publish = statement(`UPDATE segments SET state = 'live', set_file = :setFile, members = :members,
      segment_file_name = :segmentFileName WHERE id = :id`)
  const grant = statement(`INSERT INTO segment_access (participant, seq, name_shared, upload_signal, result_content,
      provider_id)
      SELECT :participant, seq, :nameShared, upload_signal, result_content, provider_id FROM segments WHERE id = :id
      ON CONFLICT DO UPDATE SET name_shared = excluded.name_shared`)
  const forget = statement('DELETE FROM segments WHERE id = :id')
  const close = statement(`UPDATE segments SET state = 'deleted', set_file = NULL WHERE id = :id`)
  const revoke = statement('DELETE FROM segment_access WHERE seq = (SELECT seq FROM segments WHERE id = :id)')
  const uses = statement('SELECT 1 FROM segments WHERE set_file = :setFile')

  return {
    insert: (segment) => void insert.run({ ...segment }),
    isTaken: (owner, participantSegmentId) => taken.get({ owner, participantSegmentId }) !== undefined,
    find: (id) => find.get({ id }),
    findVisible: (participant, id) => findVisible.get({ participant, id }),
    list(participant, filter, range) {
      const { id, participantSegmentId, uploadSignal, resultContent, providerId } = filter
      const rows = { ...range, participant, uploadSignal, resultContent, providerId }
      if (id === undefined && participantSegmentId === undefined) return list.all(rows)
      // Each of these ids names at most one segment, so no scan of the list is needed.
      const named = id ?? findOwn.get({ owner: participant, participantSegmentId })?.id
      const segment = named === undefined || range.offset > 0 ? undefined : findVisible.get({ participant, id: named })
      return segment && fits(segment, participant, filter) ? [segment] : []
    },
    report: (limit) => report.all({ limit }),
    update: (id, metadata) => void update.run({ id, ...metadata }),
    publish: (id, built) => void publish.run({ id, ...built }),
    grant: (id, participant, { nameShared }) => void grant.run({ id, participant, nameShared }),
    forget: (id) => void forget.run({ id }),
    delete(id) {
      close.run({ id })
      revoke.run({ id })
    },
    usesSet: (setFile) => uses.get({ setFile }) !== undefined,
  }
}

function visibleSegment(row: Row): VisibleSegment {
  const { uploadDateWithSignals, spi, nameShared, ...rest } = row
  return {
    ...rest,
    uploadDateWithSignals: uploadDateWithSignals === null ? null : uploadDateWithSignals === 1,
    spi: spi === 1,
    nameShared: nameShared === 1,
  }
}

/**
 * Whether a segment fits a filter. The owner's identifier finds only the owner's own segments, because others do not
 * see it.
 */
function fits(segment: VisibleSegment, participant: number, filter: Omit<SegmentFilter, 'id'>): boolean {
  const own = segment.owner === participant ? segment.participantSegmentId : undefined
  return (
    (filter.participantSegmentId === undefined || filter.participantSegmentId === own) &&
    (filter.uploadSignal === undefined || filter.uploadSignal === segment.uploadSignal) &&
    (filter.resultContent === undefined || filter.resultContent === segment.resultContent) &&
    (filter.providerId === undefined || filter.providerId === segment.providerId)
  )
}
