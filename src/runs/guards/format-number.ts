import { grouped } from '../../core/grouped.ts'

/** A number for people: `12,345`, `0.3421`, `866.5`. From 1,000 on without a fraction, else with four digits that count. */
export function formatNumber(value: number): string {
  const rounded = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4))
  const [whole = '', fraction] = String(rounded).split('.')
  if (whole.includes('e')) return String(rounded)
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`
}
