/** No segment can be made from the file. The job fails with this reason. */
export class SegmentFileError extends Error {
  override readonly name = 'SegmentFileError'
  readonly reason: 'empty' | 'not-utf8' | 'no-usable-key'

  constructor(reason: SegmentFileError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
