import { formatNumber } from './figures.ts'

/** A wait for a partner, in words: `waits for partner 2005`. */
export function partnerText({
  partners = 1,
  counterpart = 'a partner',
}: {
  partners?: number
  counterpart?: string | undefined
}): string {
  return `waits for ${partners > 1 ? `${formatNumber(partners)} partners` : counterpart}`
}
