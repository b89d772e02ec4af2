import type { Guard } from '../core/pipeline.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf } from '../document/document-node.ts'
import type { Names } from '../expressions/check.ts'
import type { ExpressionChecker } from './expression-checker.ts'
import type { StepDraft } from './read-steps.ts'

const NUMBER = { type: 'number' } as const

/** Checks the `guard` of a step: its expressions give numbers, and its limits can be kept. */
export function checkGuard(
  { step, node }: StepDraft,
  names: Names,
  checker: ExpressionChecker,
  reporter: DiagnosticCollector,
): void {
  const { guard } = step
  if (!guard) return
  const at = (...path: readonly string[]) => path.reduce(childOf, childOf(node, 'guard')) ?? node
  checker.template({ kind: 'expression', expression: guard.of }, names, NUMBER)
  const { learn, min, max } = guard
  for (const limit of [min, max]) if (limit) checker.template(limit, names, NUMBER)
  if (learn && learn.warmUp > learn.runs) {
    const message = `it never judges: it waits for ${learn.warmUp} values and learns from at most ${learn.runs}`
    reporter.error({ code: 'wrong-value', message, hint: 'warmUp is at most runs' }, at('learn'))
  }
  if (!learn && !min && !max) {
    const message = 'nothing says what the number may be'
    reporter.error({ code: 'wrong-value', message, hint: 'give min or max, or let it learn' }, at('learn'))
  }
  if (guard.notBy !== undefined && guard.onBreach !== 'approve') {
    const message = `nobody is asked: onBreach is ${guard.onBreach}`
    reporter.error({ code: 'wrong-value', message, hint: 'leave notBy out, or let a person approve' }, at('notBy'))
  }
  const [least, most] = [numberOf(min), numberOf(max)]
  if (least !== undefined && most !== undefined && least > most)
    reporter.error({ code: 'wrong-value', message: `min is more than max, ${most}` }, at('min'))
}

function numberOf(limit: Guard['min']): number | undefined {
  if (limit?.kind !== 'value') return undefined
  return typeof limit.value === 'number' || typeof limit.value === 'bigint' ? Number(limit.value) : undefined
}
