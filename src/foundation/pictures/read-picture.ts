/** What the parser of a format makes of a file: its clean bytes and its sides in pixels, or why there are none. */
export type ReadPicture =
  | { readonly bytes: Buffer; readonly width: number; readonly height: number }
  | 'broken'
  | 'moving'
