import { FILE_FEATURES, FILE_SIGNALS, RESULT_CONTENTS } from './enumerations.ts'
import { oneOf, openText, pageFields, pageOf } from './fields.ts'

/** The maximum size of the file part of an upload, in bytes: 150 MB (decision 107). */
export const MAX_UPLOAD_BYTES = 157_286_400

const File = {
  title: 'File',
  type: 'object',
  required: ['name'],
  properties: { name: openText('Name under which the service keeps the file.') },
} as const

/** A file is identified by these and its name (decision 111). */
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
    input: {
      type: 'object',
      required: ['file', 'uploadSignal', 'resultContent'],
      properties: {
        file: { type: 'string', format: 'file', minLength: 1, description: 'Path of the file to send.' },
        ...bucket,
      },
    },
    upload: 'file',
    output: File,
    status: 200,
    accept: 'vendor',
    repeat: 'contentAddressed',
  },
  'files.list': {
    method: 'GET',
    path: '/api/files',
    summary: 'List the uploaded files of a signal and result content.',
    input: {
      type: 'object',
      required: ['uploadSignal', 'resultContent'],
      properties: { ...bucket, ...pageFields },
    },
    output: pageOf('files', File),
    status: 200,
    accept: 'vendor',
    list: { items: 'files', id: 'name', paged: true },
    repeat: 'always',
  },
  'files.delete': {
    method: 'DELETE',
    path: '/api/files/{file}',
    summary: 'Delete an uploaded file.',
    input: {
      type: 'object',
      required: ['file', 'uploadSignal', 'resultContent'],
      properties: { file: openText('Name of the file, as the upload returned it.'), ...bucket },
    },
    output: null,
    status: 200,
    accept: 'vendor',
    notFound: [404],
    repeat: 'always',
  },
} as const
