import { FILE_SIGNALS, ID_SIGNALS } from '../contract/enumerations.ts'
import { AudienceError } from '../core/errors.ts'
import { count, formatBytes } from '../core/format/figures.ts'
import type { RemoteFile } from '../core/remote-source.ts'
import { DELIMITERS } from '../lists/csv-dialect.ts'
import { describeList } from '../lists/describe-list.ts'
import { type ListRequest, NORMALISATIONS } from '../lists/list-request.ts'
import { defineStep } from './define-step.ts'
import { afterRun, nothingYet } from './nothing-yet.ts'

const figure = (description: string) => ({ type: 'integer', description }) as const
const change = (description: string) => ({ type: ['integer', 'null'], description }) as const

/** Makes the file for an upload. Its outputs are figures and a handle, never a row or a key. */
export const filesPrepare = defineStep({
  name: 'files.prepare',
  summary: 'Prepare a list of keys for an upload: normalised, without duplicates, sorted.',
  description:
    'Reads rows, normalises their keys by the rules of the service, and writes each key once, sorted, to a file that is removed when the run ends. The same keys in any order give the same file, so they cause no rebuild.',
  input: {
    type: 'object',
    required: ['from', 'signal'],
    properties: {
      from: {
        type: 'object',
        additionalProperties: false,
        description: 'Where the rows are: either file, or source with its path and date.',
        properties: {
          file: { type: 'string', format: 'file', minLength: 1, description: 'Path of a file.' },
          source: { type: 'string', minLength: 1, description: 'A name under `sources` of audience.yaml.' },
          path: {
            type: 'string',
            minLength: 1,
            description:
              'For a source with sftp or s3: the folder there, with a pattern of names: "crm/{date}/*.parquet". {date} stands for the day in `date`.',
          },
          date: {
            type: 'string',
            pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
            description: 'The day that replaces {date} in the source or its path, such as 2026-01-31.',
          },
          delimiter: {
            enum: DELIMITERS,
            description:
              'The character between the columns of CSV; none: the file has one column. If no delimiter is given, it is guessed, unless the keys are ids or addresses and no header names their column.',
          },
        },
      },
      column: {
        type: ['string', 'integer'],
        description: 'The column with the keys: its name, or its number, counted from 1, if the file has no header.',
      },
      sql: {
        type: 'string',
        minLength: 1,
        maxLength: 20_000,
        description: 'Instead of column: a DuckDB query that returns one column; the rows are the table `input`.',
      },
      signal: { enum: FILE_SIGNALS, description: 'The kind of key.' },
      normalise: {
        enum: NORMALISATIONS,
        description:
          'The rules, by version; default: service/3. A document with service/1 or service/2 stays valid and gets service/3, as the service does.',
      },
      hash: {
        enum: ['none', 'sha256'],
        description: 'sha256 writes the SHA-256 of each key; default: none, which needs half the space or less.',
      },
    },
  },
  rules: [
    { ...exactlyOne('column', 'sql'), description: 'either column or sql is needed' },
    {
      properties: { from: exactlyOne('file', 'source') },
      description: 'from needs either file or source',
    },
    {
      properties: { from: { not: { required: ['file', 'path'] } } },
      description: 'path is for a source on another machine',
    },
    {
      not: { required: ['hash'], properties: { hash: { const: 'sha256' }, signal: { enum: ID_SIGNALS } } },
      description:
        'only keys of IP, IDFA, AAID, STBID, EMAIL and ADDRESS can be hashed: for other signals the service would mistake a hash for an id',
    },
  ],
  output: {
    type: 'object',
    required: [
      ...(['file', 'rows', 'keys', 'duplicates', 'empty', 'bad', 'badShare'] as const),
      ...(['suppressed', 'added', 'removed', 'kept', 'bytes', 'sha256', 'normalisation'] as const),
    ],
    properties: {
      file: {
        type: 'string',
        format: 'file',
        description: 'The file, for files.upload; it is removed when the run ends.',
      },
      rows: figure('How many rows were read: keys + suppressed + duplicates + empty + bad.'),
      keys: figure('How many different keys the file has.'),
      duplicates: figure('How many rows repeat the key of an earlier row.'),
      empty: figure('How many rows have no value.'),
      bad: figure('How many rows have a value that is not a key of the signal, or cannot be read.'),
      badShare: { type: 'number', description: 'The share of bad rows, from 0 to 1.' },
      suppressed: figure('How many keys were left out because they are in an opt-out list.'),
      added: change(
        'How many keys are new since the last successful run of this pipeline and step; null if it is not known.',
      ),
      removed: change('How many keys of that run are gone; null if it is not known.'),
      kept: change('How many keys are in both runs; null if it is not known.'),
      bytes: figure('How many bytes the file has.'),
      sha256: { type: 'string', description: 'SHA-256 of the file, hex.' },
      normalisation: { enum: NORMALISATIONS, description: 'The rules by which the keys were normalised.' },
    },
  },
  async run({ input, context, services: { lists, membership } }) {
    const { runId, stepKey, pipeline } = context
    const place = { runId, stepKey, pipeline }
    const file = lists.fileOf(place)
    const figures = await context.once('list', async (signal) => {
      const made = await lists.make(input, place, signal, (ahead) => context.report({ kind: 'turn', ahead }))
      const { keys, normalisation } = made
      const changes = await membership.record({ ...place, file, keys, normalisation, form: formOf(input) }, signal)
      return { ...made, ...(changes ?? UNKNOWN_CHANGES) }
    })
    return { file, ...figures }
  },
  async plan({ known, unknown, pipeline, stepKey }, { lists, membership, signal }) {
    if (!known) return afterRun({ unknown })
    const there = await lists.look(known.from, signal).catch(unlessLeftOut)
    if (there instanceof AudienceError) return nothingYet('afterRun', there.message)
    if (there) return nothingYet('prepare', wouldRead(there, known.from.source))
    const preview = await lists.preview(known, pipeline, signal).catch(unlessLeftOut)
    if (preview instanceof AudienceError) return nothingYet('afterRun', preview.message)
    const { file, ...made } = preview
    const { keys, normalisation } = made
    const list = { pipeline, stepKey, file, keys, normalisation, form: formOf(known) }
    const changes = await membership.compare(list, signal)
    const outputs = { file, ...made, ...(changes ?? UNKNOWN_CHANGES) }
    return { action: 'prepare', why: describeList({ ...made, ...changes }), requests: [], outputs, complete: true }
  },
})

function formOf({ signal, hash = 'none' }: Pick<ListRequest, 'signal' | 'hash'>) {
  return { signal, hash }
}

function unlessLeftOut(error: unknown): AudienceError {
  if (error instanceof AudienceError && error.code === 'source-left-out') return error
  throw error
}

/** A plan lists files on other machines without copying them, because they may be large. */
function wouldRead(files: readonly RemoteFile[], source = ''): string {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const [first] = files
  const named = first === undefined ? '' : `, the first is ${first.path}`
  return `reads ${count(files.length, 'file')} of ${source}, ${formatBytes(bytes)}${named}`
}

/** There is no earlier list to compare with. */
const UNKNOWN_CHANGES = { added: null, removed: null, kept: null }

function exactlyOne(one: string, other: string) {
  return { oneOf: [{ required: [one] }, { required: [other] }] }
}
