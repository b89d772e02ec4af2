import { expect, test } from 'vitest'
import { deploymentNamed } from '../../src/acts/deploy.ts'
import type { ApiCall } from '../../src/console/server/call.ts'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { deploymentHandlers } from '../../src/console/server/handlers/deployments.ts'

const one = { commit: `abcd1${'0'.repeat(35)}`, id: 3 }
const other = { commit: `abcd2${'0'.repeat(35)}`, id: 2 }
const oneBefore = { ...one, id: 1 }

test.each([
  { name: 'abcd1', found: one },
  { name: 'ABCD1', found: one },
  { name: other.commit, found: other },
])('$name names the newest deployment of its commit', ({ name, found }) => {
  expect(deploymentNamed(name, [one, other, oneBefore])).toBe(found)
})

test.each([
  { name: 'abcd', message: 'several commits begin with abcd' },
  { name: 'ffff', message: 'no deployed commit begins with ffff' },
  { name: '', message: 'several commits begin with ' },
])('"$name" names no deployment: $message', ({ name, message }) => {
  expect(() => deploymentNamed(name, [one, other])).toThrow(message)
})

test('three digits are too few, also if they are those of one commit', () => {
  expect(() => deploymentNamed('abc', [one])).toThrow('no deployed commit begins with abc')
})

test('the page of the changes says if several commits begin as its address does', async () => {
  const list = async () => [one, other].map((commit) => ({ ...commit, at: 0, committedAt: 0 }))
  const settings = { shared: '/nowhere', pipelines: '/nowhere', deployment: { path: '.' } }
  const deps = { settings, state: { deployments: { list } } } as unknown as ConsoleDeps
  await expect(deploymentHandlers['deployment.changes'](deps, { commit: 'abcd' }, {} as ApiCall)).rejects.toThrow(
    'several commits begin with abcd',
  )
})
