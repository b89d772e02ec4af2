import type { Me, Step } from '../../api/types.ts'

/** Why a person may not decide about a step, as far as the page knows; undefined if the person may. The server decides by itself. */
export function whyNotMe({ waitsFor, approval }: Step, me: Pick<Me, 'by' | 'role'>): string | undefined {
  if (me.role !== 'approver') return 'An approver has to decide.'
  if (waitsFor !== 'approval') return undefined
  const { approvers, notBy = [] } = approval ?? {}
  if (notBy.some((name) => folded(name) === folded(me.by)))
    return 'You had a part in starting this run, so somebody else has to decide.'
  if (approvers && !approvers.includes(me.by)) return `You are not among those who may decide: ${approvers.join(', ')}.`
  return undefined
}

function folded(name: string): string {
  return name.normalize('NFKC').replace(/\s/g, '').toLowerCase()
}
