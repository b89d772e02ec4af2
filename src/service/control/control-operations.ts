import { operations } from '../../contract/operations.ts'
import { list, noFields, type ObjectSchema, object, text, time, type ValueOf } from '../../core/json-schema.ts'
import {
  type ControlOperation,
  constant,
  doneAnswer,
  idField,
  limitField,
  newestInput,
  OF_ALL,
  participantField,
} from './control-operation.ts'
import * as schemas from './control-schemas.ts'
import { FAULT_RULES, FaultSpec } from './fault-rule.ts'
import { jobControlOperations } from './job-control-operations.ts'
import { JOURNAL_LENGTH } from './request-journal.ts'

const oneSnapshot = object(['name'], {
  name: {
    type: 'string',
    pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
    description: 'Name of the snapshot: lower-case letters, digits, `-` and `_`.',
  },
})
const doneTo = <const Act extends string>(act: Act) =>
  object(['done', 'name'], { done: constant(act), name: text('The snapshot.') })

const CLOCK = {
  output: schemas.clock,
  answer: '`now`, `frozen`, and `offsetMs` (how far the service is ahead of the machine)',
} as const

/** Every operation of the control API, by its id. */
export const controlOperations = {
  health: {
    method: 'GET',
    path: '/health',
    summary: 'Report that the service is alive.',
    input: noFields,
    output: object(['status'], { status: constant('ok') }),
    open: true,
  },
  ready: {
    method: 'GET',
    path: '/ready',
    summary: 'Report whether the service is ready to work on jobs.',
    description: 'The answer is 503 until the population is made.',
    input: noFields,
    output: object(['status'], { status: constant('ready') }),
    open: true,
  },

  reset: {
    method: 'POST',
    path: '/reset',
    summary: 'Restore everything to the state of the first start.',
    description:
      'Jobs, segments, matches, activations and files are removed, ids start again, the clock shows the machine’s time, and the fault rules and the request journal are empty. The population, the tokens and the snapshots stay.',
    input: noFields,
    output: doneAnswer('reset'),
  },
  'snapshots.list': {
    method: 'GET',
    path: '/snapshots',
    summary: 'List the snapshots.',
    input: noFields,
    output: object(['snapshots'], {
      snapshots: list(
        object(['name', 'takenAt'], { name: text('Its name.'), takenAt: time('When it was taken.') }),
        'Sorted by name.',
      ),
    }),
  },
  'snapshots.take': {
    method: 'POST',
    path: '/snapshots/{name}',
    summary: 'Save the current state under a name.',
    description:
      'Jobs continue while it is saved. When the snapshot is restored, work that is in progress now begins again.',
    input: oneSnapshot,
    output: doneTo('snapshot'),
  },
  'snapshots.restore': {
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Restore a snapshot.',
    description:
      'Ids, jobs and the clock are as they were; the fault rules and the request journal are empty. The service first waits for jobs that are being worked on. If it dies in the meantime, the next start finishes the restore.',
    input: oneSnapshot,
    output: doneTo('restore'),
  },
  'snapshots.delete': {
    method: 'DELETE',
    path: '/snapshots/{name}',
    summary: 'Delete a snapshot.',
    input: oneSnapshot,
    output: doneTo('delete'),
  },

  'clock.get': {
    method: 'GET',
    path: '/clock',
    summary: 'Read the clock of the service.',
    input: noFields,
    ...CLOCK,
  },
  'clock.freeze': {
    method: 'POST',
    path: '/clock/freeze',
    summary: 'Freeze the clock.',
    description: 'No job moves on by itself while the clock is frozen. The clock stays frozen after a restart.',
    input: noFields,
    ...CLOCK,
  },
  'clock.advance': {
    method: 'POST',
    path: '/clock/advance',
    summary: 'Advance the clock immediately, whether it is frozen or not.',
    description:
      'Every job that becomes due in between is processed at its own time, in order. The answer comes when all of them are done.',
    input: object(['ms'], {
      ms: { type: 'integer', minimum: 0, maximum: 315_360_000_000, description: 'Milliseconds, at most ten years.' },
    }),
    ...CLOCK,
  },
  'clock.thaw': {
    method: 'POST',
    path: '/clock/thaw',
    summary: 'Let the clock run again from its current time.',
    input: noFields,
    ...CLOCK,
  },

  ...jobControlOperations,

  'participants.list': {
    method: 'GET',
    path: '/participants',
    summary: 'List all participants, each with its base URL and token.',
    input: noFields,
    output: object(['participants'], {
      participants: list(
        object([...schemas.participant.required, 'token'], {
          ...schemas.participant.properties,
          token: text('The token of its API.'),
        }),
        'The first one is the caller.',
      ),
    }),
  },
  'groups.list': {
    method: 'GET',
    path: '/groups',
    summary: 'List the groups of the network.',
    input: noFields,
    output: object(['groups'], { groups: list(schemas.group, 'The groups.') }),
  },

  'requests.list': {
    method: 'GET',
    path: '/requests',
    summary: 'List the last requests to the API, newest first.',
    description: `The last ${JOURNAL_LENGTH} are kept in memory, without tokens and bodies; requests to the control API are not included.`,
    input: object([], {
      operation: { type: 'string', enum: Object.keys(operations), description: 'Only requests of this operation.' },
      participant: participantField('Only requests to this participant’s address.'),
      limit: limitField(JOURNAL_LENGTH),
    }),
    output: object(['requests'], { requests: list(schemas.request, 'Newest first.') }),
    answer:
      '`requests`, each with `at`, `participant`, `operation`, `method`, `path`, `query`, `status` (null: no answer), `durationMs`, `requestId`, `bodyBytes` and the `fault` that was applied',
  },
  'requests.clear': {
    method: 'DELETE',
    path: '/requests',
    summary: 'Empty the request journal.',
    input: noFields,
    output: doneAnswer('clear'),
  },

  'segments.list': {
    method: 'GET',
    path: '/segments',
    summary: 'List the segments of all participants, newest first.',
    description: 'This includes segments that are still being built, but not deleted ones.',
    input: newestInput,
    output: object(['segments'], { segments: list(schemas.segment, OF_ALL) }),
  },

  'matches.list': {
    method: 'GET',
    path: '/matches',
    summary: 'List the matches of all participants, newest first.',
    input: newestInput,
    output: object(['matches'], { matches: list(schemas.match, OF_ALL) }),
  },
  'matches.export': {
    method: 'GET',
    path: '/matches/{matchId}/set',
    summary: 'Write the people of a match, or of a part of its split, as CSV.',
    description:
      'The API itself does not show who is in a match (decision 80). The CSV is sorted and has the header `bgid`.',
    input: object(['matchId'], {
      matchId: idField('Id of the match.'),
      part: {
        type: 'string',
        enum: ['test', 'control', 'shaved'],
        description: 'A part of the test and control split; default: the whole match.',
      },
    }),
    output: null,
  },

  'activations.list': {
    method: 'GET',
    path: '/activations',
    summary: 'List the activations of all participants, newest first.',
    input: newestInput,
    output: object(['activations'], { activations: list(schemas.activation, OF_ALL) }),
  },

  'faults.add': {
    method: 'POST',
    path: '/faults',
    summary: 'Make requests to an operation fail.',
    description:
      'Faults apply only to the participants’ API, and only to accepted requests. If several rules apply, the oldest is used. Rules are forgotten when the service ends.',
    input: FaultSpec,
    rules: FAULT_RULES,
    output: schemas.fault,
    answer: '`id`, the rule, `seen` (requests that it could have applied to), `applied`',
  },
  'faults.list': {
    method: 'GET',
    path: '/faults',
    summary: 'List the fault rules, oldest first, and which operations can be made to fail.',
    input: noFields,
    output: object(['faults', 'operations'], {
      faults: list(schemas.fault, 'Oldest first. If several apply, the oldest is used.'),
      operations: list(schemas.faultChoice, 'What can fail, and how.'),
    }),
    answer: '`faults`, as in the answer of `faults.add`; `operations`, each with the possible `actions`',
  },
  'faults.delete': {
    method: 'DELETE',
    path: '/faults/{id}',
    summary: 'Delete a fault rule.',
    input: object(['id'], { id: text('Id of the rule.') }),
    output: object(['done', 'id'], { done: constant('delete'), id: text('The fault.') }),
  },
  'faults.clear': {
    method: 'DELETE',
    path: '/faults',
    summary: 'Delete all fault rules, and make what they hid visible again.',
    input: noFields,
    output: doneAnswer('clear'),
  },
} as const satisfies Readonly<Record<string, ControlOperation>>

type ControlOperations = typeof controlOperations
export type ControlOperationId = keyof ControlOperations
export type ControlInput<Id extends ControlOperationId> = ValueOf<ControlOperations[Id]['input']>
/** The answer as its handler returns it. Fields that the schema does not name are removed later. */
export type ControlAnswer<Id extends ControlOperationId> = ControlOperations[Id]['output'] extends ObjectSchema
  ? OrNull<ValueOf<ControlOperations[Id]['output']>>
  : CsvAnswer

/** An answer that is a file. The file is removed after it has been sent. */
export interface CsvAnswer {
  readonly csvFile: string
}

/** Lets fields that may be missing be null. */
type OrNull<T> = T extends readonly (infer Item)[]
  ? readonly OrNull<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: OrNull<T[Key]> | (undefined extends T[Key] ? null : never) }
    : T
