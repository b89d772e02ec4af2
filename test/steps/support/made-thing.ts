import type { MadeThing } from '../../../src/state/made-things.ts'

/** A thing that another step made or wants. */
export function madeThing(own: Partial<MadeThing> & Pick<MadeThing, 'kind' | 'name'>): MadeThing {
  return {
    ...{ id: undefined, job: undefined, request: undefined, about: {}, found: false, at: 0 },
    ...{ pipeline: 'other', step: 'theirs', runId: 'their run' },
    ...own,
  }
}
