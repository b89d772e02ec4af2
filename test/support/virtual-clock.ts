/*
 * Loaded into a process before anything else (`node --import`): gives Date and timers a virtual clock. It begins at
 * VIRTUAL_START (milliseconds since 1970) at normal speed. The parent can make it faster, or make it leap, as after a
 * machine has slept. While the process gets no turn, no time passes, so a busy machine makes nothing late.
 * `performance.now` follows it except for the leaps; Node's internals do not.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'

/** What the parent asks for: a leap to a time, another speed, or only the time. The answer is always the time. */
export interface ClockRequest {
  readonly leapTo?: number
  readonly speed?: number
}
export interface ClockAnswer {
  readonly now: number
}

const require = createRequire(import.meta.url)
const real = { Date, setTimeout, clearTimeout, setInterval, setImmediate, steady: performance.now.bind(performance) }
/** The most that passes while the process gets no turn. */
const MOST_AT_ONCE_MS = 20
const LOOK_EVERY_MS = 5
const LONGEST_REAL_MS = 60_000

let virtual = Number(process.env.VIRTUAL_START)
let speed = 1
let seen = real.steady()
let steady = seen

function now(): number {
  const at = real.steady()
  const passed = Math.min(at - seen, MOST_AT_ONCE_MS) * speed
  virtual += passed
  steady += passed
  seen = at
  return Math.floor(virtual)
}

class VirtualTimer {
  dueAt: number
  readonly #ms: number
  readonly #run: () => void
  readonly #repeats: boolean
  isRef = true

  constructor(run: () => void, ms: number, repeats: boolean) {
    // As in Node: a timer takes at least a millisecond, and its length fits in 31 bits.
    this.#ms = ms >= 1 && ms < 2 ** 31 ? ms : 1
    this.#run = run
    this.#repeats = repeats
    this.dueAt = now() + this.#ms
    timers.add(this)
    arm()
  }

  fire(): void {
    if (this.#repeats) this.dueAt = now() + this.#ms
    else timers.delete(this)
    this.#run()
  }

  refresh(): this {
    this.dueAt = now() + this.#ms
    timers.add(this)
    arm()
    return this
  }

  ref(): this {
    this.isRef = true
    arm()
    return this
  }

  unref(): this {
    this.isRef = false
    arm()
    return this
  }

  hasRef(): boolean {
    return this.isRef
  }

  close(): this {
    timers.delete(this)
    arm()
    return this
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

const timers = new Set<VirtualTimer>()
let armed: NodeJS.Timeout | undefined

/** One timer of Node serves all timers of the virtual clock. */
function arm(): void {
  real.clearTimeout(armed)
  let first: VirtualTimer | undefined
  let isRef = false
  for (const timer of timers) {
    if (!first || timer.dueAt < first.dueAt) first = timer
    isRef ||= timer.isRef
  }
  if (!first) return
  const ms = Math.min(Math.max(0, (first.dueAt - now()) / speed), LONGEST_REAL_MS)
  armed = real.setTimeout(fireFirst, ms)
  if (!isRef) armed.unref()
}

/** Fires one timer per turn, so that its consequences come before the next timer. */
function fireFirst(): void {
  const at = now()
  let first: VirtualTimer | undefined
  for (const timer of timers) if (timer.dueAt <= at && (!first || timer.dueAt < first.dueAt)) first = timer
  try {
    first?.fire()
  } finally {
    arm()
  }
}

type Callback = (...args: unknown[]) => void

const virtualTimers = {
  setTimeout: (run: Callback, ms = 1, ...args: unknown[]) => new VirtualTimer(() => run(...args), Number(ms), false),
  setInterval: (run: Callback, ms = 1, ...args: unknown[]) => new VirtualTimer(() => run(...args), Number(ms), true),
  clearTimeout: clear,
  clearInterval: clear,
}

function clear(timer: VirtualTimer | NodeJS.Timeout | undefined): void {
  if (timer instanceof VirtualTimer) timer.close()
  else real.clearTimeout(timer)
}

function sleep(ms = 1, value?: unknown, options: { signal?: AbortSignal; ref?: boolean } = {}): Promise<unknown> {
  const { signal, ref = true } = options
  const aborted = () => Object.assign(new Error('aborted', { cause: signal?.reason }), { code: 'ABORT_ERR' })
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted())
    const stop = () => {
      timer.close()
      reject(aborted())
    }
    const timer = new VirtualTimer(
      () => {
        signal?.removeEventListener('abort', stop)
        resolve(value)
      },
      ms,
      false,
    )
    if (!ref) timer.unref()
    signal?.addEventListener('abort', stop, { once: true })
  })
}

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
  apply: () => new real.Date(now()).toString(),
  get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
})
performance.now = () => {
  now()
  return steady
}
Object.assign(globalThis, virtualTimers)
Object.assign(require('node:timers'), virtualTimers)
Object.assign(require('node:timers/promises'), { setTimeout: sleep })
syncBuiltinESMExports()

// The clock counts turns.
real.setInterval(() => void now(), LOOK_EVERY_MS).unref()

process.on('message', (request: ClockRequest) => {
  virtual = Math.max(now(), request.leapTo ?? 0)
  speed = request.speed ?? speed
  process.send?.({ now: now() } satisfies ClockAnswer)
  arm()
})
process.channel?.unref()
