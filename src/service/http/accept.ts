import { VENDOR_MEDIA_TYPE } from '../../contract/operation.ts'

/**
 * Whether an Accept header allows the vendor media type: its most specific range decides, with a q-value above 0
 * (decisions 3 and 5). A missing header does not allow it: every endpoint requires one.
 */
export function acceptsVendorType(header: string | undefined): boolean {
  if (header === VENDOR_MEDIA_TYPE) return true
  let best = { specificity: -1, quality: 0 }
  for (const range of (header ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const specificity = RANGES.indexOf(type)
    if (specificity < 0 || !parameters.every(isAllowed)) continue
    const quality = qualityOf(parameters)
    if (specificity > best.specificity || (specificity === best.specificity && quality > best.quality)) {
      best = { specificity, quality }
    }
  }
  return best.quality > 0
}

/** The ranges that contain the vendor type, least specific first. */
const RANGES: readonly string[] = ['*/*', 'application/*', VENDOR_MEDIA_TYPE]

/** The type has no parameters, so a range with a parameter asks for something else; JSON is always UTF-8. */
function isAllowed(parameter: string): boolean {
  return /^q\s*=/.test(parameter) || /^charset\s*=\s*"?utf-?8"?$/.test(parameter)
}

function qualityOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => /^q\s*=/.test(parameter))
  if (text === undefined) return 1
  const quality = /^q\s*=\s*(0(\.\d{0,3})?|1(\.0{0,3})?)$/.exec(text)?.[1]
  return quality === undefined ? 0 : Number(quality)
}
