import { printableData } from '../../core/printable.ts'
import type { StepPlan } from '../../pipeline/step-plan.ts'
import { changeLines, GUARDS, type PlanView, planItems, planSentence, WORDS } from './render-plan.ts'

/**
 * A plan for a comment on a pull request. The same state always gives the same text, so the plan contains no times and
 * no runs.
 */
export function planMarkdown(given: PlanView): string[] {
  const { pipeline, steps, summary } = printableData(given)
  return [
    `### Plan of \`${pipeline}\``,
    '',
    `**${planSentence(summary)}**`,
    '',
    '| step | does | why | requests and checks |',
    '|---|---|---|---|',
    ...steps.flatMap((step) => rows(step, step.id)),
    '',
  ]
}

function rows(step: StepPlan, id: string): string[] {
  const { action, changed = [], why, requests, guards, guard } = step
  const { shown, rest } = planItems(step)
  const what = [WORDS[action] ?? action, changed.length > 0 ? `(${changed.map(codeTag).join(', ')})` : '']
  const details = [
    ...changeLines(step).map(codeTag),
    ...requests.map(({ method, path }) => codeTag(`${method} ${path}`)),
    ...guards.map(({ check, state }) => `${GUARDS[state]} ${codeTag(check)}`),
    ...(guard ? [`guarded: ${codeTag(guard.of)}`] : []),
  ]
  const cells = [codeTag(id), what.filter(Boolean).join(' '), cell(why ?? ''), details.join('<br>')]
  return [
    `| ${cells.join(' | ')} |`,
    ...shown.flatMap((item) => rows(item, item.name)),
    ...(rest === undefined ? [] : [`| | | ${cell(rest)} | |`]),
  ]
}

/**
 * Shows text from the service and from documents literally: no part of it has an effect as Markdown or HTML, and it
 * does not notify anybody.
 */
export function cell(text: string): string {
  return text
    .replaceAll(/[\\`*_{}[\]<>()#+!|~&]/g, '\\$&')
    .replaceAll('@', '@&#8203;')
    .replaceAll(/\s+/g, ' ')
}

/** Shows text literally, as `cell` does, but as code. */
export function codeTag(text: string): string {
  return `<code>${text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('|', '&#124;')
    .replaceAll(/[`*_[\]@~\\]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll(/\s+/g, ' ')}</code>`
}
