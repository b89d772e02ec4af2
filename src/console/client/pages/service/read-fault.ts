import type { FaultSpec } from '../../api/types.ts'
import type { FaultAction } from './fault-text.ts'

/** The content of the form for a fault, as it was typed. */
export interface FaultForm {
  readonly operation: string
  readonly action: FaultAction
  readonly which: 'every' | 'nth' | 'share'
  readonly nth: string
  readonly percent: string
  /** Empty means no limit or, for a single request, once. */
  readonly times: string
  readonly status: string
  readonly retryAfter: string
  readonly seconds: string
  readonly garbage: 'html' | 'json'
}

export const EMPTY_FAULT: FaultForm = {
  operation: '*',
  action: 'status',
  which: 'every',
  nth: '1',
  percent: '50',
  times: '',
  status: '503',
  retryAfter: '',
  seconds: '5',
  garbage: 'html',
}

/** The fault that a form describes; undefined while a number is missing or invalid. */
export function readFault(form: FaultForm): FaultSpec | undefined {
  const { operation, action, which } = form
  const parts: readonly (Partial<FaultSpec> | undefined)[] = [
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

function number(name: 'nth' | 'times' | 'status', text: string, limits: Limits): Partial<FaultSpec> | undefined {
  const value = between(text, limits)
  return value === undefined || !Number.isInteger(value) ? undefined : { [name]: value }
}

function share(percent: string): Partial<FaultSpec> | undefined {
  const value = between(percent, { from: 0, to: 100 })
  return value === undefined ? undefined : { probability: value / 100 }
}

function delay(seconds: string): Partial<FaultSpec> | undefined {
  const value = between(seconds, { from: 0, to: 86_400 })
  return value === undefined ? undefined : { delayMs: Math.round(value * 1000) }
}

function between(text: string, { from, to = Number.MAX_SAFE_INTEGER }: Limits): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  return value >= from && value <= to ? value : undefined
}
