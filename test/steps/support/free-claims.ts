import type { StepClaims } from '../../../src/steps/define-step.ts'

/** Claims of a step that works alone: each is free. */
export const freeClaims: StepClaims = {
  take: async () => ({ state: 'taken', fence: '' }),
  release: async () => undefined,
}
