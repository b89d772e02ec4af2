import { COUNTED_ACTIONS, type PlanSummary } from '../../pipeline/plan-summary.ts'

const WORDS: Readonly<Record<(typeof COUNTED_ACTIONS)[number], string>> = {
  upload: 'to upload',
  create: 'to create',
  update: 'to update',
  refresh: 'to refresh',
  replace: 'to replace',
  delete: 'to delete',
  send: 'to send',
  run: 'to run',
  leave: 'unchanged',
  afterRun: 'decided during the run',
  fail: 'would fail',
}

/** `Plan: 2 to create, 1 to refresh, 1 unchanged`. */
export function planSentence(summary: PlanSummary): string {
  const parts = COUNTED_ACTIONS.flatMap((action) => (summary[action] ? [`${summary[action]} ${WORDS[action]}`] : []))
  return `Plan: ${parts.join(', ') || 'nothing to do'}`
}
