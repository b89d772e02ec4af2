/** A number for people: `12,345`, `0.3421`, `866.5`; at most four digits after the first that is not 0, or the integer part. */
export function formatNumber(value: number): string {
  const rounded = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4))
  const [whole = '', fraction] = String(rounded).split('.')
  if (whole.includes('e')) return String(rounded)
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}
