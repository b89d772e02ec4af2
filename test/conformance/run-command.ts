import { allCases } from './all-cases.ts'
import { createHttpClient } from './http-client.ts'
import { type Arguments, readArguments, USAGE, UsageError } from './read-arguments.ts'
import { renderTable } from './render-results.ts'
import { runSuite } from './run-suite.ts'

interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Lets the active cases end, so that the things that they created are deleted. */
  readonly interrupted: AbortSignal
}

/** Checks a service according to the command line; returns the exit code. */
export async function runCommand(argv: readonly string[], { env, out, err, interrupted }: Io): Promise<number> {
  if (argv.includes('--help')) {
    out(USAGE)
    return 0
  }
  let args: Arguments
  try {
    args = readArguments(argv, env)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    err(`${error.message}\n\n${USAGE}`)
    return 2
  }
  const { only, json, options } = args
  const cases = only === undefined ? allCases : allCases.filter(({ decision }) => only.includes(decision))
  if (cases.length === 0) {
    err(`no case is about decision ${only?.join(', ')}\n`)
    return 2
  }
  const unreachable = await whyUnreachable(options)
  if (unreachable !== undefined) {
    err(`${options.baseUrl} cannot be reached: ${unreachable}; start the service or check --base-url\n`)
    return 1
  }
  const { results, leftBehind } = await runSuite(cases, options, {
    signal: interrupted,
    onResult: (result) => json && out(`${JSON.stringify(result)}\n`),
  })
  if (!json) out(renderTable(results))
  for (const left of leftBehind) err(`could not be deleted: ${left}\n`)
  if (interrupted.aborted) return 130
  return results.some(({ outcome }) => outcome === 'fail') ? 1 : 0
}

async function whyUnreachable(options: Arguments['options']): Promise<string | undefined> {
  const http = createHttpClient(options)
  try {
    await http.send('GET /api/groups')
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await http.close()
  }
}
