import type { ApprovalFacts, ApprovalTerms } from '../core/approval.ts'
import { AudienceError } from '../core/errors.ts'
import type { Signed } from '../core/run.ts'
import { shellWord } from '../core/shell-word.ts'

/** Only the terms. */
export function approvalTerms({ approvers, needsComment, timeoutMs }: ApprovalTerms): ApprovalTerms {
  return {
    ...(approvers && { approvers }),
    ...(needsComment && { needsComment }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
}

/** The terms for readers; `at`: since when the step waits, in milliseconds since 1970. */
export function approvalFacts(record: ApprovalTerms, at: number): ApprovalFacts {
  const { timeoutMs, ...terms } = approvalTerms(record)
  return { ...terms, ...(timeoutMs !== undefined && { waitsUntil: new Date(at + timeoutMs).toISOString() }) }
}

/** The commands that say yes and no. */
export function approvalCommands(runId: string, name: string, { needsComment }: ApprovalTerms): [string, string] {
  const approve = `audience runs approve ${runId} ${shellWord(name)}`
  const why = needsComment ? ' --comment WHY' : ''
  return [`${approve}${why}`, `${approve} --reject${why}`]
}

/**
 * Why a decision about the step `name` is refused; undefined if it counts. Everybody who takes decisions asks this: the
 * command line, the console, and the engine, which ignores a decision that does not count. A name is only as good as
 * the one who vouches for it: `--by` of the command line takes any.
 */
export function refusedDecision(
  name: string,
  { approvers, needsComment }: ApprovalTerms,
  { by, comment }: Signed,
): AudienceError | undefined {
  if (approvers && (by === undefined || !approvers.includes(by))) {
    const message = `${by ?? 'nobody'} may not decide about step "${name}"`
    return refusal('not-an-approver', message, `ask ${approvers.join(' or ')}`)
  }
  if (needsComment && (comment === undefined || comment.trim() === '')) {
    const hint = 'say why: --comment "the figures are right"'
    return refusal('comment-required', `the decision about step "${name}" needs a comment`, hint)
  }
  return undefined
}

function refusal(code: string, message: string, hint: string): AudienceError {
  return new AudienceError({ code, kind: 'usage', message, hint })
}
