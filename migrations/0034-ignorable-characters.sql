-- The rest of the characters that draw nothing: all that Unicode calls default ignorable, such as variation selectors,
-- except the two joiners. Like migration 0031, this corrects the rows from before.

do $$
declare
  hidden constant text := '[\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0080-\U000E0FFF]';
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
