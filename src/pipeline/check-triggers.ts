import { dirname, resolve } from 'node:path'
import type { InputDeclaration } from '../core/pipeline.ts'
import type { Trigger } from '../core/trigger.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode } from '../document/document-node.ts'
import type { Names } from '../expressions/check.ts'
import { folderIdentity } from '../platform/real-path.ts'
import { checkInputs } from './check-inputs.ts'
import { checkRemoteWatches } from './check-remote-watch.ts'
import { checkSchedule, type ScheduleSource } from './check-schedule.ts'
import { checkWatches } from './check-watch.ts'
import type { ExpressionChecker } from './expression-checker.ts'
import type { TriggerDraft } from './read-triggers.ts'

/** Checks that triggers can fire, and that their runs get the inputs that they need, with the right types. */
export function checkTriggers(
  drafts: readonly TriggerDraft[],
  inputs: Readonly<Record<string, InputDeclaration>>,
  namesFor: (trigger: Trigger) => Names,
  {
    checker,
    reporter,
    source,
    declared,
    isComplete,
  }: {
    checker: ExpressionChecker
    reporter: DiagnosticCollector
    source: ScheduleSource
    /** The map `inputs` of the document. */
    declared: DocumentNode | undefined
    /** Whether the runs of a trigger get only the trigger's own inputs and the defaults. */
    isComplete: (draft: TriggerDraft) => boolean
  },
): void {
  const folder = dirname(resolve(source.file))
  checkWatches(drafts, reporter, source.policy && ((path) => folderIdentity(resolve(folder, path))))
  checkRemoteWatches(drafts, source.policy, reporter)
  for (const draft of drafts) {
    const { trigger, node } = draft
    const schedule = childOf(node, 'schedule')
    if (trigger.kind === 'schedule' && schedule) checkSchedule(trigger, schedule, source, reporter)
    const names = namesFor(trigger)
    checker.condition(trigger.if, names, 'if')
    const place = childOf(node, 'id') ?? node
    const given = {
      giver: `the trigger ${trigger.id}`,
      values: trigger.inputs,
      node: childOf(node, 'inputs'),
      place,
      declared,
      isComplete: isComplete(draft),
    }
    checkInputs(given, inputs, names, { checker, reporter })
  }
}
