import { type ControlContext, controlOperation, noInput, timeText } from './control-operation.ts'

const ANSWER = '`now`, `frozen`, and `offsetMs` by which the service is ahead of the machine'

export const clockOperations = {
  'clock.get': controlOperation({
    method: 'GET',
    path: '/clock',
    summary: 'Read the clock of the service.',
    input: noInput,
    answer: ANSWER,
    handle: clockView,
  }),

  'clock.freeze': controlOperation({
    method: 'POST',
    path: '/clock/freeze',
    summary: 'Freeze the clock.',
    description: 'No job moves on by itself while the clock is frozen. A restart does not change that.',
    input: noInput,
    answer: ANSWER,
    handle(control) {
      control.clock.freeze()
      return clockView(control)
    },
  }),

  'clock.advance': controlOperation({
    method: 'POST',
    path: '/clock/advance',
    summary: 'Advance the clock at once, frozen or not.',
    description:
      'Every job that falls due on the way is taken on at its own time, in order; the answer comes when all of that is done.',
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['ms'],
      properties: {
        ms: { type: 'integer', minimum: 0, maximum: 315_360_000_000, description: 'Milliseconds, at most ten years.' },
      },
    },
    answer: ANSWER,
    async handle(control, { ms }) {
      const { clock, runner, store } = control
      const target = clock.now() + ms
      await runner.settle(clock.now())
      for (;;) {
        const due = store.jobs.nextDueAfter(clock.now())
        if (due === undefined || due > target) break
        clock.moveTo(due)
        await runner.settle(due)
      }
      clock.moveTo(target)
      return clockView(control)
    },
  }),

  'clock.thaw': controlOperation({
    method: 'POST',
    path: '/clock/thaw',
    summary: 'Let the clock run again from its current time.',
    input: noInput,
    answer: ANSWER,
    handle(control) {
      control.clock.thaw()
      return clockView(control)
    },
  }),
}

function clockView({ clock }: ControlContext) {
  return { now: timeText(clock.now()), frozen: clock.state().frozenAt !== null, offsetMs: clock.aheadMs() }
}
