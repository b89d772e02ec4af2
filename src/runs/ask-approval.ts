import type { AskedTerms } from '../core/approval.ts'
import type { ErrorReport } from '../core/errors.ts'
import { mayBeSamePerson } from '../core/may-be-same-person.ts'
import type { RunRecord, StepRef } from '../core/run.ts'
import { approvalTerms } from './approval-terms.ts'
import type { RunFacts } from './run-facts.ts'

type Submission = Extract<RunRecord, { type: 'run.submitted' }>

/** Everybody who caused a run; nobody if a schedule started it. */
export function submittersOf({ submitters, startedBy }: Submission): readonly string[] {
  return submitters ?? (startedBy === undefined ? [] : [startedBy])
}

/**
 * The record of a step that begins to wait for an approval. It names the people who may not approve, according to the
 * document or the policy of the process that is working on the run, so that every reader of the run knows them.
 */
export function askApproval(
  { state, approvalsNotBy }: Pick<RunFacts, 'state' | 'approvalsNotBy'>,
  ref: StepRef,
  { notBy = approvalsNotBy, ...terms }: AskedTerms,
  error: ErrorReport,
): Extract<RunRecord, { type: 'step.waiting' }> {
  const names = notBy === 'submitter' ? submittersOf(state.submission) : []
  const waits = { type: 'step.waiting', ...ref, reason: 'approval' } as const
  if (names.length === 0) return { ...waits, ...approvalTerms(terms), error }
  return {
    ...waits,
    ...approvalTerms({ ...terms, notBy: names }),
    error: {
      ...error,
      hint: [error.hint, `not by ${names.join(' or ')}`, noneLeft(terms, names)].filter(Boolean).join('; '),
    },
  }
}

function noneLeft({ approvers }: AskedTerms, names: readonly string[]): string | undefined {
  const isLeft = (approver: string) => !names.some((name) => mayBeSamePerson(name, approver))
  if (approvers?.some(isLeft) ?? true) return undefined
  return 'so none of its approvers may decide: cancel it, and let somebody else start it'
}
