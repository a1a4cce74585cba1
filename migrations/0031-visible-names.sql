-- Names are stored without characters that draw nothing: controls of the text direction, zero-width spaces, soft
-- hyphens, tags. New ones are written so; this corrects the rows from before. Joiners stay, because in some scripts
-- they are spelling; pages remove those that are not.

do $$
declare
  hidden constant text := '[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\U000E0000-\U000E007F]';
  shown text[];
begin
  foreach shown slice 1 in array array[
    ['clients', 'name'], ['consulting_meetings', 'title'], ['consulting_services', 'title'], ['courses', 'title'],
    ['digital_products', 'title'], ['events', 'title'], ['files', 'name'], ['forms', 'title'], ['lectures', 'title'],
    ['membership_plans', 'name'], ['notifications', 'title'], ['order_items', 'title'], ['pages', 'title'],
    ['payment_adjustments', 'label'], ['payment_lines', 'title'], ['posts', 'title'], ['schools', 'name'],
    ['school_members', 'typed_name'], ['sections', 'title'], ['study_groups', 'name'], ['users', 'name']]
  loop
    execute format(
      'update %1$I set %2$I = coalesce(nullif(btrim(regexp_replace(%2$I, $1, '''', ''g'')), ''''), ''?'') where %2$I ~ $1',
      shown[1], shown[2]) using hidden;
  end loop;
end $$;
