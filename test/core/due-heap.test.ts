import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Due, DueHeap } from '../../src/core/due-heap.ts'

test('the first is the earliest of those that were added and not removed', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ add: fc.integer({ min: 0, max: 50 }) }),
      fc.record({ removeAt: fc.nat(100) }),
      fc.constant('removeFirst' as const),
    ),
    { maxLength: 300 },
  )
  fc.assert(
    fc.property(steps, (all) => {
      const heap = new DueHeap<Due>()
      const model: Due[] = []
      const remove = (item: Due | undefined) => {
        if (!item) return
        model.splice(model.indexOf(item), 1)
        heap.remove(item)
        heap.remove(item)
      }
      for (const step of all) {
        if (step === 'removeFirst') remove(heap.first)
        else if ('removeAt' in step) remove(model[step.removeAt % Math.max(1, model.length)])
        else {
          const item = { dueAt: step.add, place: undefined }
          model.push(item)
          heap.add(item)
        }
        expect(heap.first?.dueAt ?? Number.POSITIVE_INFINITY).toBe(Math.min(...model.map(({ dueAt }) => dueAt)))
      }
      expect(new Set(heap.drain())).toEqual(new Set(model))
      expect(heap.first).toBeUndefined()
    }),
  )
})
