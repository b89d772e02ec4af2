import type { CaseResult } from './conformance-case.ts'

/** The results as a table: decision, outcome, name, and below them the reason if there is one; the sums come last. */
export function renderTable(results: readonly CaseResult[]): string {
  const rows = results.map(({ decision, outcome, name, reason }) => {
    const row = `${String(decision).padStart(8)}  ${outcome.padEnd(14)}  ${name}`
    return reason === undefined ? row : `${row}\n${' '.repeat(26)}${reason.replaceAll('\n', `\n${' '.repeat(26)}`)}`
  })
  return `${['decision  outcome         statement', ...rows, '', sums(results)].join('\n')}\n`
}

function sums(results: readonly CaseResult[]): string {
  const count = (outcome: CaseResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  const decisions = new Set(results.map(({ decision }) => decision)).size
  return `${results.length} cases of ${decisions} decisions: ${count('pass')} passed, ${count('fail')} failed, ${count('not applicable')} not applicable`
}
