import type { ApprovalFacts, ApprovalTerms } from '../core/approval.ts'
import { type AudienceError, usageError } from '../core/errors.ts'
import { isoTime } from '../core/iso-time.ts'
import { mayBeSamePerson } from '../core/may-be-same-person.ts'
import type { Signed } from '../core/run.ts'
import { shellWord } from '../core/shell-word.ts'
import { withoutUndefined } from '../core/without-undefined.ts'

/** Returns the terms of an approval, without any other fields. */
export function approvalTerms({ approvers, notBy, needsComment, timeoutMs }: ApprovalTerms): ApprovalTerms {
  return withoutUndefined({ approvers, notBy, needsComment: needsComment || undefined, timeoutMs })
}

/** The terms of an approval as readers see them. `at`: when the step began to wait, in milliseconds since 1970. */
export function approvalFacts(record: ApprovalTerms, at: number): ApprovalFacts {
  const { timeoutMs, ...terms } = approvalTerms(record)
  return { ...terms, waitsUntil: isoTime(timeoutMs === undefined ? undefined : at + timeoutMs) }
}

/** The commands to say yes or no. */
export function approvalCommands(
  runId: string,
  name: string,
  { needsComment }: Pick<ApprovalTerms, 'needsComment'>,
): [string, string] {
  const approve = `audience runs approve ${runId} ${shellWord(name)}`
  const why = needsComment ? ' --comment WHY' : ''
  return [`${approve}${why}`, `${approve} --reject${why}`]
}

/**
 * Why a decision about the step `name` is refused; undefined if it counts. The command line, the console and the engine
 * all call this. The engine ignores a decision that does not count. On the command line, where `--by` accepts any name,
 * `account` is the operating-system user.
 */
export function refusedDecision(
  name: string,
  { approvers, notBy, needsComment }: ApprovalTerms,
  { by, comment, account }: Signed & { account?: string },
): AudienceError | undefined {
  if (approvers && (by === undefined || !approvers.includes(by))) {
    const message = `${by ?? 'somebody who gives no name'} may not decide about step "${name}"`
    return usageError('not-an-approver', message, `ask ${approvers.join(' or ')}`)
  }
  const own = notBy && [by, account].find((name) => notBy.some((other) => mayBeSamePerson(other, name ?? '')))
  if (notBy && (by === undefined || own !== undefined)) {
    const message = `${own ?? 'somebody who gives no name'} may not decide about step "${name}": nobody who had a part in starting the run may decide`
    return usageError(
      'own-run',
      message,
      `ask somebody other than ${notBy.join(' or ')}; a run that is wrong can be cancelled`,
    )
  }
  if (needsComment && (comment === undefined || comment.trim() === '')) {
    const hint = 'say why: --comment "the figures are right" (in the API: reason)'
    return usageError('comment-required', `the decision about step "${name}" needs a comment`, hint)
  }
  return undefined
}
