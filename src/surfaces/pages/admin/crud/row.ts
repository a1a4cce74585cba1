import type { ComponentChildren } from 'preact'
import type { z } from 'zod'
import type { Place } from '../frame/operator.ts'

/** An object as an operation answers it, where its kind is not known. */
export type Row = Readonly<Record<string, unknown>>

/** Shows a part of an object; an empty result is left out of the page. */
export interface Show<T = Row> {
  (object: T, place: Place): ComponentChildren
  /** An amount or a number, which a table aligns at its end. */
  readonly isFigure?: boolean
}

/** The object that an operation answers. */
export type OutputOf<W> = W extends { readonly output: infer O extends z.ZodObject }
  ? z.output<O>
  : never

/** A member of an object whose value is text. */
export type TextMember<T> = { [K in keyof T]: T[K] extends string ? K : never }[keyof T] & string
