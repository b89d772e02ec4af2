import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiClient } from '../../src/adapter/api-client.ts'

/** Makes a segment and returns the id of its job, which has ended. */
export async function finishedJob(api: ApiClient, folder: string): Promise<string> {
  const file = join(folder, 'one.csv')
  await writeFile(file, 'email\na@example.com\n')
  const bucket = { uploadSignal: 'EMAIL', resultContent: 'BGID' } as const
  const { name } = await api.files.upload({ file, ...bucket })
  const { id } = await api.segments.create({
    segmentFileName: name,
    participantSegmentId: 'bench',
    segmentName: 'Bench',
    providerId: 1001,
    ...bucket,
  })
  await api.waitForJob(id, { timeoutMs: 30_000 })
  return id
}
