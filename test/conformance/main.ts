import { allCases } from './all-cases.ts'
import { createHttpClient } from './http-client.ts'
import { type Arguments, readArguments, USAGE, UsageError } from './read-arguments.ts'
import { renderTable } from './render-results.ts'
import { runSuite } from './run-suite.ts'

process.exitCode = await main()

async function main(): Promise<number> {
  let args: Arguments
  try {
    args = readArguments(process.argv.slice(2), process.env)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n\n${USAGE}`)
    return 2
  }
  const { only, json, options } = args
  const cases = only === undefined ? allCases : allCases.filter(({ decision }) => only.includes(decision))
  if (cases.length === 0) {
    process.stderr.write(`no case is about decision ${only?.join(', ')}\n`)
    return 2
  }
  const unreachable = await whyUnreachable(options)
  if (unreachable !== undefined) {
    process.stderr.write(
      `${options.baseUrl} cannot be reached: ${unreachable}; start the service or check --base-url\n`,
    )
    return 1
  }
  // The first Ctrl-C lets the cases under way end, so that what they created is deleted; the next one ends at once.
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  const { results, leftBehind } = await runSuite(cases, options, {
    signal: interrupted.signal,
    onResult: (result) => json && process.stdout.write(`${JSON.stringify(result)}\n`),
  })
  if (!json) process.stdout.write(renderTable(results))
  for (const left of leftBehind) process.stderr.write(`could not be deleted: ${left}\n`)
  if (interrupted.signal.aborted) return 130
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
