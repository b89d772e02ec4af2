import type { Holdings } from './holdings.ts'
import { pageOf } from './lists.ts'
import { invalid, Refusal } from './refusal.ts'
import { type Answer, type Asked, oneOf } from './request.ts'
import type { Ways } from './ways.ts'

const SIGNALS = ['IP', 'IDFA', 'AAID', 'STBID', 'EMAIL', 'ADDRESS', 'PARTNER_RECORD_ID', 'BGID', 'RECORD_ID']
const MOST_BYTES = 150 * 1024 * 1024

/** Where a file is stored: the same name can be in several places. */
export function placeOf(uploadSignal: unknown, resultContent: unknown, name: unknown): string {
  return `${uploadSignal}/${resultContent}/${name}`
}

function folderOf({ query }: Asked): string {
  oneOf(query.get('featureType') ?? 'SEGMENT_UPLOAD', 'featureType', ['SEGMENT_UPLOAD'])
  oneOf(query.get('uploadSignal'), 'uploadSignal', SIGNALS)
  oneOf(query.get('resultContent'), 'resultContent', ['BGID', 'HASHED'])
  return placeOf(query.get('uploadSignal'), query.get('resultContent'), '')
}

export async function uploadFile(asked: Asked, holdings: Holdings, ways: Ways): Promise<Answer> {
  const folder = folderOf(asked)
  const form = await new Response(new Uint8Array(asked.body), {
    headers: { 'content-type': String(asked.headers['content-type']) },
  }).formData()
  const file = form.get('file')
  if (!(file instanceof File)) throw invalid('there is no part named file')
  if (file.size > MOST_BYTES) throw invalid('the file is too large')
  const lines = (await file.text()).split(/\r?\n/).map((line) => line.split(',')[0] ?? '')
  const keys = new Set(lines.map((key) => key.trim().toLowerCase()).filter((key) => key.includes('@')))
  const name = ways.uploadName === 'kept' ? file.name : `${holdings.number()}-${file.name}`
  holdings.files.set(folder + name, keys)
  return { status: 200, body: { name, ...(ways.extras && { size: file.size }) } }
}

export function listFiles(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const folder = folderOf(asked)
  const places = [...holdings.files.keys()].filter((place) => place.startsWith(folder))
  const files = places.map((place) => ({ name: place.slice(folder.length) }))
  return pageOf('files', files, asked, ways)
}

export function deleteFile(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  if (!holdings.files.delete(folderOf(asked) + asked.values[0])) throw new Refusal({ status: 404, body: '' })
  return { status: ways.deleted }
}
