import { Name, Tile } from '../../../../../foundation/html/components.tsx'
import { plainText } from '../../../../../foundation/html/plain-text.ts'
import { ButtonLink, Empty, Panel } from '../../../../../foundation/html/site-components.tsx'
import { legibilityOf } from '../../../../../foundation/html/theme.ts'
import { type CurrentFile, FileLine } from './upload-page.tsx'

/** Shows colours in the preview while they are chosen. */
export const PREVIEW_SCRIPT = 'appearance.js'

export const PREVIEW_CLASS = 'appearance-preview'

interface AppearancePanelsProps {
  readonly name: string
  readonly tagline: string
  readonly primary: string
  /** The address of the stylesheet with the colours of the preview. */
  readonly stylesheet: string
  readonly logo: CurrentFile | undefined
  /** Absent if the server has no file store. */
  readonly logoPath: string | undefined
}

export function AppearancePanels(props: AppearancePanelsProps) {
  return (
    <>
      <Preview {...props} />
      {props.logoPath !== undefined && (
        <Panel title="Logo">
          {props.logo === undefined ? (
            <Empty>
              <p>There is no logo yet. Pages show the first letter of your name instead.</p>
            </Empty>
          ) : (
            <>
              <img class="logo" src={props.logo.url} alt="Your logo" height={48} />
              <FileLine file={props.logo} />
            </>
          )}
          <p class="actions">
            <ButtonLink look="plain" href={props.logoPath}>
              {props.logo === undefined ? 'Upload a logo' : 'Replace or remove'}
            </ButtonLink>
          </p>
        </Panel>
      )}
    </>
  )
}

function Preview({ name, tagline, primary, stylesheet, logo }: AppearancePanelsProps) {
  return (
    <Panel id="preview" title="Preview" lead="With the colors in the form.">
      <link rel="stylesheet" href={stylesheet} data-preview="" />
      <div class={PREVIEW_CLASS}>
        <p class="preview-head">
          {logo === undefined ? (
            <Tile name={name} tone="brand" />
          ) : (
            <img class="logo" src={logo.url} alt="" height={36} />
          )}
          <Name text={name} fallback="School" />
        </p>
        {tagline !== '' && <p class="lead">{plainText(tagline)}</p>}
        <p class="actions">
          <span class="button button-primary">A button</span>
          <span class="preview-link">A link</span>
          <span class="avatar">A</span>
        </p>
      </div>
      <ul class="checks">
        {legibilityOf(primary).map((words) => (
          <li>{words}</li>
        ))}
      </ul>
    </Panel>
  )
}
