import { expect, test } from 'vitest'
import { visibleEnv } from '../../src/core/visible-env.ts'
import { allowedEnv, envProblem } from '../../src/policy/allowed-env.ts'

const OURS = ' is for audience itself: documents cannot read it'
const UNLISTED = ' is not in policy.env of audience.yaml'
const OPEN = { ownEnv: ['SERVICE_TOKEN'] }
const LISTED = { ...OPEN, env: ['PARTNER', 'SERVICE_TOKEN', 'AUDIENCE_REGION'] }

test.each([
  ['without a list, any', OPEN, 'PARTNER', undefined],
  ['without a list, not those of the runner', OPEN, 'AUDIENCE_TOKEN', OURS],
  ['without a list, not those that audience.yaml names for itself', OPEN, 'SERVICE_TOKEN', OURS],
  ['with a list, those in it', LISTED, 'PARTNER', undefined],
  ['with a list, those in it that are the runner’s own, too', LISTED, 'AUDIENCE_REGION', undefined],
  ['with a list, those in it that audience.yaml names, too', LISTED, 'SERVICE_TOKEN', undefined],
  ['with a list, no other', LISTED, 'HOME', UNLISTED],
  ['with a list, no other of the runner', LISTED, 'AUDIENCE_TOKEN', OURS],
  ['with an empty list, none', { ownEnv: [], env: [] }, 'HOME', UNLISTED],
  ['with an empty list, none of those that audience.yaml names', { ...OPEN, env: [] }, 'SERVICE_TOKEN', OURS],
])('a document may read %s: %o, %s', (_what, policy, name, why) => {
  const problem = envProblem(name, policy)
  expect(problem?.message).toBe(why && `${name}${why}`)
  if (problem) expect(problem.hint).toMatch(why === OURS ? /a variable of its own/ : /add it there/)
  const allowed = allowedEnv({ [name]: 'x' }, policy)
  expect(allowed).toEqual(why === undefined ? { [name]: 'x' } : {})
  if (problem)
    expect(() => visibleEnv({ env: [name] }, allowed)[name]).toThrow(
      expect.objectContaining({ code: 'env-not-allowed', hint: expect.stringContaining('then retry the run') }),
    )
})
