import { codeTag } from '../views/plan-markdown.ts'
import type { CiResult } from './run-checks.ts'

/** A report on a change, in Markdown. */
export interface ChangeReport {
  readonly results: readonly CiResult[]
  /** The commit that was checked, and the page of the job, if they are known. */
  readonly commit: string | undefined
  readonly page: string | undefined
}

const SIGNS = { passed: '✅ passed', failed: '❌ failed', unknown: '⚪ not known' }

/** The maximum length, in characters. The end of a longer report is left out, and the report says so. */
export function reportMarkdown({ results, commit, page }: ChangeReport, most: number): string {
  const failed = results.filter(({ outcome }) => outcome === 'failed').length
  const head = [
    `## Audience pipelines: ${failed === 0 ? 'passed' : `${failed} of ${results.length} checks failed`}`,
    '',
    '| check | result | |',
    '|---|---|---|',
    ...results.map((one) => `| ${one.check} | ${SIGNS[one.outcome]} | ${said(one)} |`),
    '',
    ...(commit === undefined ? [] : [`Commit ${codeTag(commit)}`, '']),
  ].join('\n')
  const parts = results.flatMap(partsOf)
  const whole = [head, ...parts].join('\n')
  if (whole.length <= most) return whole
  const rest = `\n**The report is too long to show here.** ${page === undefined ? 'The log of the job has all of it.' : `[The job](${page}) has all of it.`}\n`
  let shown = head
  for (const part of parts) {
    if (shown.length + 1 + part.length + rest.length > most) return shown + rest
    shown += `\n${part}`
  }
  return shown + rest
}

/** The report of a check, in parts. Each part can be read without the others. */
function partsOf({ check, outcome, markdown, text }: CiResult): string[] {
  if (markdown !== undefined)
    return withoutCommands(markdown)
      .split(/\n(?=### )/)
      .map((part) => `${part.trimEnd()}\n`)
  return outcome === 'passed' ? [] : [`### ${check}\n\n${asItIs(text)}\n`]
}

const MOST_TEXT = 20_000

/**
 * Shows text literally: no part of it has an effect as Markdown or HTML, and it does not notify anybody. A fence is not
 * enough: GitLab looks for its commands (`/merge`) after the first line of three backticks, however many began the
 * block.
 */
function asItIs(text: string): string {
  const shown = text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}\n…` : text
  const escaped = shown
    .trimEnd()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('`', '&#96;')
    .replaceAll('@', '@&#8203;')
  return `<pre>\n${withoutCommands(escaped)}\n</pre>`
}

/** A line of a comment that begins with a slash is a command to GitLab, with the rights of the token. */
function withoutCommands(markdown: string): string {
  return markdown.replaceAll(/^(\s*)\//gm, '$1&#47;')
}

/** The last line that a check without Markdown prints. If the check did not pass, the whole text is shown below. */
function said({ markdown, text }: CiResult): string {
  const line = markdown === undefined ? text.trim().split('\n').at(-1)?.slice(0, 200) : undefined
  return line ? codeTag(line) : ''
}
