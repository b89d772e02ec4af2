import { flag, type Static, text } from '../core/json-schema.ts'
import { RESULT_CONTENTS, SEGMENT_SIGNALS } from './enumerations.ts'
import {
  clearableText,
  DELETE,
  int32Id,
  nullableText,
  oneOf,
  openEnum,
  openObject,
  optionalText,
  pageFields,
  pageOf,
  READ,
  requiredText,
} from './fields.ts'
import { Job } from './job.ts'

/** A segment as the service shows it; only `id` and `segmentName` are promised (decision 48). */
const Segment = {
  title: 'Segment',
  ...openObject(['id', 'segmentName'], {
    id: text('Id of the segment; opaque.'),
    segmentName: text('Name; empty if it is not shared with the caller.'),
    participantSegmentId: nullableText('The owner’s own identifier.'),
    segmentFileName: nullableText('The file from which it was last built.'),
    uploadSignal: openEnum(SEGMENT_SIGNALS, 'The kind of key in its file.'),
    resultContent: openEnum(RESULT_CONTENTS, 'What it holds: BGIDs or hashed keys.'),
    uploadDateWithSignals: { type: ['boolean', 'null'], description: 'Whether its file has timestamps.' },
    providerId: { type: ['integer', 'null'], description: 'Whose identity graph resolved its keys.' },
    cpm: { type: ['number', 'null'], description: 'Cost per mille.' },
    dataOwner: nullableText('Owner of the data.'),
    category: nullableText('Category.'),
    subCategory: nullableText('Subcategory.'),
    description: nullableText('Description.'),
    spi: flag('Built using sensitive personal information.'),
  }),
} as const
export type Segment = Static<typeof Segment>

/** A limit that only our service has, so the client still sends values that exceed it (decisions 44, 46 and 145). */
const ours = <const Schema extends object>(schema: Schema) => ({ ...schema, 'x-client': 'sends' }) as const

const id = text('Id of the segment.')
const spi = flag('Built using sensitive personal information; default false.')
const cpm = 'Cost per mille.'

const segmentRead = { resource: 'segmentId', read: { operation: 'segments.get', by: 'id' } } as const

export const segmentOperations = {
  'segments.create': {
    method: 'POST',
    path: '/api/segments',
    summary: 'Create a segment from an uploaded file.',
    input: openObject(['segmentFileName', 'participantSegmentId', 'segmentName', 'uploadSignal', 'resultContent'], {
      segmentFileName: requiredText(100, 'Name of the uploaded file, as the upload returned it.'),
      participantSegmentId: requiredText(100, 'Your own identifier of the segment; unique among your segments.'),
      segmentName: requiredText(100, 'Name of the segment.'),
      uploadSignal: oneOf(SEGMENT_SIGNALS, 'The kind of key in the file.'),
      resultContent: oneOf(RESULT_CONTENTS, 'What the segment holds: BGIDs or hashed keys.'),
      uploadDateWithSignals: flag(
        'For IP with BGID: true when the file has timestamps (historical look-up), false for the current date.',
      ),
      providerId: int32Id('Whose identity graph resolves the keys: you or a partner.'),
      cpm: ours({ type: 'number', minimum: 0, description: cpm }),
      dataOwner: optionalText(200, 'Owner of the segment data.'),
      category: optionalText(200, 'Category.'),
      subCategory: optionalText(200, 'Subcategory.'),
      description: optionalText(500, 'Description.'),
      spi,
    }),
    rules: [
      {
        description: 'uploadDateWithSignals is required when uploadSignal is IP and resultContent is BGID',
        if: {
          required: ['uploadSignal', 'resultContent'],
          properties: { uploadSignal: { const: 'IP' }, resultContent: { const: 'BGID' } },
        },
        // biome-ignore lint/suspicious/noThenProperty: "then" is a JSON Schema keyword
        then: { required: ['uploadDateWithSignals'] },
      },
      {
        description: 'providerId is required unless uploadSignal is BGID or resultContent is HASHED',
        if: {
          required: ['uploadSignal', 'resultContent'],
          properties: { uploadSignal: { not: { const: 'BGID' } }, resultContent: { not: { const: 'HASHED' } } },
        },
        // biome-ignore lint/suspicious/noThenProperty: "then" is a JSON Schema keyword
        then: { required: ['providerId'] },
      },
      {
        description:
          'resultContent HASHED is not allowed with uploadSignal BGID, RECORD_ID, PARTNER_RECORD_ID or ZIPCODE',
        // This rule is ours and not part of the contract, so another service may accept input that breaks it (decision
        // 41).
        'x-client': 'warns',
        not: {
          required: ['uploadSignal', 'resultContent'],
          properties: {
            uploadSignal: { enum: ['BGID', 'RECORD_ID', 'PARTNER_RECORD_ID', 'ZIPCODE'] },
            resultContent: { const: 'HASHED' },
          },
        },
      },
    ],
    output: Job,
    status: 200,
    accept: 'vendor',
    job: segmentRead,
    repeat: 'lookUp',
  },
  'segments.update': {
    method: 'PUT',
    path: '/api/segments/{id}',
    summary: 'Change the metadata of a segment.',
    description: 'Fields that are left out keep their value; null clears a field.',
    input: openObject(['id', 'segmentName'], {
      id,
      segmentName: ours(requiredText(100, 'Name of the segment.')),
      cpm: ours({ type: ['number', 'null'], minimum: 0, description: cpm }),
      dataOwner: ours(clearableText(200, 'Owner of the segment data.')),
      category: ours(clearableText(200, 'Category.')),
      subCategory: ours(clearableText(200, 'Subcategory.')),
      description: ours(clearableText(500, 'Description.')),
      spi: {
        type: ['boolean', 'null'],
        description: 'Built using sensitive personal information; null means false.',
      },
    }),
    output: Segment,
    shows: { id: 'id' },
    status: 200,
    accept: 'vendor',
    notFound: [404, 400],
    repeat: 'always',
  },
  'segments.get': {
    ...READ,
    path: '/api/segments/{id}',
    summary: 'Read a segment.',
    input: openObject(['id'], { id }),
    output: Segment,
    shows: { id: 'id' },
    notFound: [404, 400],
  },
  'segments.list': {
    ...READ,
    path: '/api/segments',
    summary: 'List segments: your own and those that others share with you.',
    input: {
      type: 'object',
      properties: {
        uploadSignal: oneOf(SEGMENT_SIGNALS, 'Only segments of this signal.'),
        resultContent: oneOf(RESULT_CONTENTS, 'Only segments with this content.'),
        providerId: int32Id('Only segments resolved by this provider.'),
        id: text('Only the segment with this id.'),
        participantSegmentId: text('Only your own segment with this identifier.'),
        ...pageFields,
      },
    },
    output: pageOf('segments', Segment),
    list: { items: 'segments', id: 'id', paged: true },
  },
  'segments.delete': {
    ...DELETE,
    path: '/api/segments/{id}',
    summary: 'Delete a segment.',
    input: openObject(['id'], { id }),
    notFound: [404, 400],
  },
  'segments.refresh': {
    method: 'PUT',
    path: '/api/segments/{id}/refresh',
    summary: 'Rebuild a segment, from a new file or from its current one.',
    description: 'A new file replaces the whole membership. Not idempotent, although it is a PUT (decision 54).',
    input: openObject(['id'], {
      id,
      segmentFileName: requiredText(100, 'Name of the uploaded file; default: the last one.'),
    }),
    output: Job,
    shows: { id: 'segmentId' },
    status: 200,
    accept: 'vendor',
    notFound: [404, 400],
    job: segmentRead,
    repeat: 'onceMore',
  },
  'segments.share': {
    method: 'POST',
    path: '/api/segments/share',
    summary: 'Share a segment with a partner.',
    input: openObject(['segmentId', 'partnerId'], {
      segmentId: text('Id of the segment.'),
      partnerId: int32Id('The partner that gets it.'),
      // The contract does not state this default, so the client always sends it (decision 58).
      shareSegmentName: {
        ...flag('Whether the partner sees the segment’s name; default true.'),
        default: true,
      },
    }),
    output: Job,
    shows: { segmentId: 'segmentId' },
    status: 200,
    accept: 'vendor',
    notFound: [400, 404],
    job: segmentRead,
    repeat: 'onceMore',
  },
} as const
