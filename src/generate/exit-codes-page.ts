import { type ErrorKind, FOUND_EXIT_CODE, WAITS_EXIT_CODE } from '../core/errors.ts'
import { page, table } from './markdown.ts'

/** The page that explains the exit codes of `audience`. */
export function exitCodesPage(exitCodes: Readonly<Record<ErrorKind, number>>): string {
  const kinds = Object.keys(MEANINGS) as ErrorKind[]
  const rows = [
    ['0', 'Done.', ''],
    [String(FOUND_EXIT_CODE), ...FOUND],
    [String(WAITS_EXIT_CODE), ...WAITS],
    ...kinds.map((kind) => [String(exitCodes[kind]), ...MEANINGS[kind]]),
  ]
  return page(
    '# Exit codes',
    table(
      ['exit code', 'meaning', 'what to do'],
      rows.toSorted(([a], [b]) => Number(a) - Number(b)),
    ),
  )
}

const FOUND = [
  'What was asked about was found: `plan --exit-code` found changes, `privacy check` found keys that are held.',
  'Look at what is printed.',
]

const WAITS = [
  '`run --wait` or `run --no-wait`: the run goes on, and waits for a person or a partner.',
  'The last lines say for whom it waits, how to answer, and which process works on it.',
]

const MEANINGS = {
  failed: ['The run, or what the command was to do, failed.', 'Read the message: it names the step and the request.'],
  usage: ['The command line is not right.', 'See `audience help`.'],
  invalid: ['A pipeline or the configuration is not valid.', 'Correct what the messages point at; nothing was sent.'],
  unavailable: [
    'The service, or the database of the state, cannot be reached or refuses access.',
    'Check the address and the access token.',
  ],
  restart: [
    'This worker lost its lease in the database: the others have taken its runs.',
    'Start it again; service managers do so by themselves.',
  ],
  interrupted: ['Interrupted.', 'The run can be resumed.'],
} as const satisfies Record<ErrorKind, readonly [meaning: string, next: string]>
