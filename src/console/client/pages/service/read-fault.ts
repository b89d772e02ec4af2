import type { FaultInput } from '../../api/types.ts'
import type { FaultInputAction } from './fault-text.ts'

/** The content of the form for a fault before anybody types. Numbers are kept as the text that a person types. */
export const EMPTY_FAULT = {
  operation: '*',
  action: 'status' as FaultInputAction,
  which: 'every' as 'every' | 'nth' | 'share',
  nth: '1',
  percent: '50',
  /** If empty, there is no limit. A fault for a single request then happens once. */
  times: '',
  status: '503',
  retryAfter: '',
  seconds: '5',
  garbage: 'html' as NonNullable<FaultInput['garbage']>,
}

export type FaultForm = Readonly<typeof EMPTY_FAULT>

/** The fault that a form describes; undefined while a number is missing or invalid. */
export function readFault(form: FaultForm): FaultInput | undefined {
  const { operation, action, which } = form
  const parts: readonly (Partial<FaultInput> | undefined)[] = [
    which === 'nth' ? number('nth', form.nth, { from: 1 }) : {},
    which === 'share' ? share(form.percent) : {},
    form.times.trim() === '' ? {} : number('times', form.times, { from: 1 }),
    action === 'status' ? number('status', form.status, { from: 400, to: 599 }) : {},
    action === 'status' && form.retryAfter.trim() !== '' ? { retryAfter: form.retryAfter.trim() } : {},
    action === 'delay' || action === 'lag' ? delay(form.seconds) : {},
    action === 'garbage' ? { garbage: form.garbage } : {},
  ]
  if (parts.includes(undefined)) return undefined
  return Object.assign({ operation, action }, ...parts)
}

interface Limits {
  readonly from: number
  readonly to?: number
}

function number(name: 'nth' | 'times' | 'status', text: string, limits: Limits): Partial<FaultInput> | undefined {
  const value = between(text, limits)
  return value === undefined || !Number.isInteger(value) ? undefined : { [name]: value }
}

function share(percent: string): Partial<FaultInput> | undefined {
  const value = between(percent, { from: 0, to: 100 })
  return value === undefined ? undefined : { probability: value / 100 }
}

function delay(seconds: string): Partial<FaultInput> | undefined {
  const value = between(seconds, { from: 0, to: 86_400 })
  return value === undefined ? undefined : { delayMs: Math.round(value * 1000) }
}

function between(text: string, { from, to = Number.MAX_SAFE_INTEGER }: Limits): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  return value >= from && value <= to ? value : undefined
}
