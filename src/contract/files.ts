import { text } from '../core/json-schema.ts'
import { FILE_FEATURES, FILE_SIGNALS, RESULT_CONTENTS } from './enumerations.ts'
import { DELETE, oneOf, openObject, pageFields, pageOf, READ } from './fields.ts'

/** The maximum size of the file part of an upload, in bytes: 150 MB (decision 107). */
export const MAX_UPLOAD_BYTES = 157_286_400

const File = {
  title: 'File',
  ...openObject(['name'], { name: text('Name under which the service keeps the file.') }),
} as const

/** A file is identified by its name and these fields (decision 111). */
const bucket = {
  featureType: oneOf(FILE_FEATURES, 'What the file is for; default SEGMENT_UPLOAD.'),
  uploadSignal: oneOf(FILE_SIGNALS, 'The kind of key in the first column of the file.'),
  resultContent: oneOf(RESULT_CONTENTS, 'What segments from this file hold: BGIDs or hashed keys.'),
} as const

export const fileOperations = {
  'files.upload': {
    method: 'POST',
    path: '/api/files',
    summary: 'Upload a file for segments.',
    description: 'UTF-8 CSV, at most 150 MB; the key in column 1, a timestamp in column 2 if the signal needs one.',
    input: openObject(['file', 'uploadSignal', 'resultContent'], {
      file: { type: 'string', format: 'file', minLength: 1, description: 'Path of the file to send.' },
      ...bucket,
    }),
    upload: 'file',
    output: File,
    status: 200,
    accept: 'vendor',
    repeat: 'contentAddressed',
  },
  'files.list': {
    ...READ,
    path: '/api/files',
    summary: 'List the uploaded files for a signal and result content.',
    input: openObject(['uploadSignal', 'resultContent'], { ...bucket, ...pageFields }),
    output: pageOf('files', File),
    list: { items: 'files', id: 'name', paged: true },
  },
  'files.delete': {
    ...DELETE,
    path: '/api/files/{file}',
    summary: 'Delete an uploaded file.',
    input: openObject(['file', 'uploadSignal', 'resultContent'], {
      file: text('Name of the file, as the upload returned it.'),
      ...bucket,
    }),
    accept: 'vendor',
    notFound: [404],
  },
} as const
