import type { Step } from '../../api/types.ts'
import { ApprovalTerms } from './approval-terms.tsx'
import { ErrorText } from './error-text.tsx'

/**
 * What a person decides: the question of an approval, with its terms; of a write in doubt, all that is known about it.
 * Buttons do here what a hint says for terminals.
 */
export function WhatIsAsked({ step }: { readonly step: Step }) {
  const { waitsFor, error } = step
  return (
    <>
      {error && (waitsFor === 'approval' ? <p>{String(error.message ?? '')}</p> : <ErrorText error={error} />)}
      <ApprovalTerms step={step} />
    </>
  )
}
