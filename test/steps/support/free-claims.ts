import type { StepClaims } from '../../../src/steps/define-step.ts'

/** The claims of a step that works alone: all are free. */
export const freeClaims: StepClaims = {
  take: async () => ({ state: 'taken', fence: '' }),
  release: async () => undefined,
}
