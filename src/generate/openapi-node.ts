/** Plain data that becomes a part of an OpenAPI document. */
export type OpenApiNode = Readonly<Record<string, unknown>>
