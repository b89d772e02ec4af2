import { notFound } from '../api-error.ts'
import type { Call, Handlers, OperationsOf } from '../call.ts'
import type { FileBucket } from '../storage/file-store.ts'
import { pageOf, splitPage } from '../storage/page.ts'
import { receiveFile } from '../uploads/receive-file.ts'

export const fileHandlers: Handlers<OperationsOf<'files'>> = {
  async 'files.upload'(call, input) {
    const { store, blobs, clock } = call
    const content = call.newId()
    const { name, bytes } = await receiveFile(call.parts(), blobs.contentPath(content))
    const file = { ...bucketOf(call, input), name, content, bytes, uploadedAt: clock.now() }
    const replaced = store.transaction(() => store.files.put(file))
    blobs.release({ contents: [replaced] })
    return { name }
  },

  'files.list'(call, input) {
    const page = pageOf(input)
    const { items, ...rest } = splitPage(call.store.files.list(bucketOf(call, input), page), page)
    return { files: items.map((name) => ({ name })), ...rest }
  },

  'files.delete'(call, input) {
    const { store, blobs } = call
    const content = store.transaction(() => store.files.delete({ ...bucketOf(call, input), name: input.file }))
    if (content === undefined) throw notFound('file of this signal and result content named', input.file)
    blobs.release({ contents: [content] })
    return undefined
  },
}

function bucketOf(
  { caller }: Call,
  input: { featureType?: string; uploadSignal: string; resultContent: string },
): FileBucket {
  const { featureType = 'SEGMENT_UPLOAD', uploadSignal, resultContent } = input
  return { participant: caller.id, featureType, uploadSignal, resultContent }
}
