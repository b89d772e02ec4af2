import { allCases } from './all-cases.ts'
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
  const { results, leftBehind } = await runSuite(cases, options, (result) => {
    if (json) process.stdout.write(`${JSON.stringify(result)}\n`)
  })
  if (!json) process.stdout.write(renderTable(results))
  for (const left of leftBehind) process.stderr.write(`could not be deleted: ${left}\n`)
  return results.some(({ outcome }) => outcome === 'fail') ? 1 : 0
}
