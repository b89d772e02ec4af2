import type { MatchEngine } from '../matching/match-engine.ts'
import type { BlobFolders } from '../storage/blob-folders.ts'
import type { BuildRequest, MatchWork, Split, StoredJob, WorkResult } from './job.ts'

export interface WorkTools {
  readonly engine: MatchEngine
  readonly blobs: BlobFolders
}

/**
 * Does a job's work on sets. It depends only on the request of the job. If it is repeated after a crash, it writes the
 * same files, which are named after the job. Throws SegmentFileError if no segment can be made from the file.
 */
export async function doJobWork(job: StoredJob, tools: WorkTools): Promise<WorkResult> {
  const { request } = job
  switch (request.kind) {
    case 'segments.create':
    case 'segments.refresh':
      return buildSegment(job, request, tools)
    case 'matches.create':
    case 'matches.refresh':
      return match(job, request, tools)
    case 'matches.testControl':
      return { splitFile: await split(job, request.setFile, request.split, tools) }
    default:
      return {}
  }
}

async function buildSegment(job: StoredJob, request: BuildRequest, { engine, blobs }: WorkTools): Promise<WorkResult> {
  const setFile = `${job.id}-segment.parquet`
  const { members } = await engine.buildSegment({
    ...request,
    csvFile: blobs.contentPath(request.content),
    signal: request.uploadSignal,
    at: new Date(job.createdAt),
    target: blobs.setPath(setFile),
  })
  return { setFile, members }
}

async function match(job: StoredJob, request: MatchWork, tools: WorkTools): Promise<WorkResult> {
  const { engine, blobs } = tools
  const setFile = `${job.id}-match.parquet`
  const { matchCount } = await engine.match({
    ...request,
    segmentFile: blobs.setPath(request.setFile),
    target: blobs.setPath(setFile),
  })
  if (!request.split) return { setFile, matchCount }
  return { setFile, matchCount, splitFile: await split(job, setFile, request.split, tools) }
}

async function split(
  job: StoredJob,
  matchFile: string,
  percents: Split,
  { engine, blobs }: WorkTools,
): Promise<string> {
  const splitFile = `${job.id}-split.parquet`
  await engine.split({
    matchFile: blobs.setPath(matchFile),
    matchId: job.matchId ?? job.id,
    ...percents,
    target: blobs.setPath(splitFile),
  })
  return splitFile
}
