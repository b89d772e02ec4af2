import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { participantOf, type SuiteOptions } from './suite-options.ts'

export interface Arguments {
  readonly options: SuiteOptions
  readonly json: boolean
  /** The decisions to check; all if absent. */
  readonly only?: readonly number[]
}

export const USAGE = `Usage: npm run conformance -- --base-url URL --token TOKEN [options]

Checks a service against the numbered decisions on its API. Creates files, segments, matches and activations under
unique names, and deletes them at the end.

  --base-url URL            the service, with the participant's prefix; or AUDIENCE_BASE_URL
  --token TOKEN             its access token; or AUDIENCE_TOKEN
  --only 71,105             only these decisions
  --json                    one JSON object per line instead of the table
  --slow                    also files of 150 MB and a thousand pages
  --strict                  the service refuses unknown fields and parameters
  --sample FILE             CSV with e-mail addresses that people of the network have
  --participant ID          the caller's id, where the base URL does not end in /p/ID
  --partner ID              the partner to match with, where the first one does not do
  --other-base-url URL      another participant, a partner of the caller that approves by itself
  --other-token TOKEN
  --other-participant ID    its id, where its base URL does not end in /p/ID
  --control-url URL         the control API of our own service
  --control-token TOKEN
  --concurrency N           cases at a time (4)
  --job-timeout SECONDS     how long a job may take (600)
  --approval-patience SECONDS  how long PENDING_APPROVAL lasts before it is taken for a missing decision (5)

Example: npm run conformance -- --base-url http://127.0.0.1:4010/p/1001 --token "$TOKEN" --only 71,105
Exit code: 0 when no case fails, 1 when one does, 2 for wrong usage.
`

/** The arguments are invalid; the message says which. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const DEFAULT_SAMPLE = resolve(import.meta.dirname, '../../pipelines/data/auto-intenders.csv')

/** The options from the command line and the environment. Throws UsageError. */
export function readArguments(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Arguments {
  const values = parsed(argv)
  const baseUrl = values['base-url'] ?? env.AUDIENCE_BASE_URL
  const token = values.token ?? env.AUDIENCE_TOKEN
  if (baseUrl === undefined || token === undefined) throw new UsageError('--base-url and --token are required')
  const participantId = integerOf('participant', values.participant)
  const partnerId = integerOf('partner', values.partner)
  const sample = sampleOf(values.sample)
  const other = otherOf(values)
  const [url, controlToken] = [values['control-url'], values['control-token']]
  if ((url === undefined) !== (controlToken === undefined)) {
    throw new UsageError('--control-url and --control-token go together')
  }
  return {
    json: values.json === true,
    ...(values.only !== undefined && { only: values.only.split(',').map((text) => required('only', text)) }),
    options: {
      baseUrl: absolute('base-url', baseUrl),
      token,
      ...(participantId !== undefined && { participantId }),
      ...(partnerId !== undefined && { partnerId }),
      ...(other && { other }),
      ...(url !== undefined &&
        controlToken !== undefined && { control: { url: absolute('control-url', url), token: controlToken } }),
      ...(sample && { sample }),
      slow: values.slow === true,
      strict: values.strict === true,
      concurrency: Math.max(1, integerOf('concurrency', values.concurrency) ?? 4),
      jobTimeoutMs: 1000 * (integerOf('job-timeout', values['job-timeout']) ?? 600),
      approvalPatienceMs: 1000 * (integerOf('approval-patience', values['approval-patience']) ?? 5),
    },
  }
}

function parsed(argv: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  try {
    return parseArgs({
      args: withJoinedTokens(argv),
      options: {
        'base-url': text,
        token: text,
        only: text,
        json: flag,
        slow: flag,
        strict: flag,
        sample: text,
        participant: text,
        partner: text,
        'other-base-url': text,
        'other-token': text,
        'other-participant': text,
        'control-url': text,
        'control-token': text,
        concurrency: text,
        'job-timeout': text,
        'approval-patience': text,
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** `--token -x` as `--token=-x`: a token may begin with a dash. */
function withJoinedTokens(argv: readonly string[]): string[] {
  const joined: string[] = []
  for (const text of argv) {
    const last = joined.at(-1)
    if (last !== undefined && /^--([a-z]+-)?token$/.test(last)) joined[joined.length - 1] = `${last}=${text}`
    else joined.push(text)
  }
  return joined
}

function otherOf(values: ReturnType<typeof parsed>): SuiteOptions['other'] {
  const [baseUrl, token] = [values['other-base-url'], values['other-token']]
  if (baseUrl === undefined && token === undefined) return undefined
  if (baseUrl === undefined || token === undefined) {
    throw new UsageError('--other-base-url and --other-token go together')
  }
  const participantId = integerOf('other-participant', values['other-participant']) ?? participantOf(baseUrl)
  if (participantId === undefined) throw new UsageError('--other-participant is required with this --other-base-url')
  return { baseUrl: absolute('other-base-url', baseUrl), token, participantId }
}

/** The values in the first column of a CSV file that look like e-mail addresses. */
function sampleOf(path: string | undefined): readonly string[] | undefined {
  if (path !== undefined && !existsSync(path)) throw new UsageError(`--sample ${path}: there is no such file`)
  const file = path ?? DEFAULT_SAMPLE
  if (!existsSync(file)) return undefined
  const fields = readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .map((line) => line.split(',')[0]?.replaceAll('"', '').trim() ?? '')
  return fields.filter((field) => /^[^@\s]+@[^@\s]+$/.test(field))
}

function absolute(name: string, url: string): string {
  if (!URL.canParse(url)) throw new UsageError(`--${name} ${url} is not a URL`)
  return url
}

function integerOf(name: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : required(name, text)
}

function required(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text.trim())) throw new UsageError(`--${name}: "${text}" is not a number`)
  return Number(text)
}
