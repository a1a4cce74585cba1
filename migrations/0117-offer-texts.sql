-- Visitors read the descriptions of plans and of digital products, so their HTML is kept like that of the other texts.

create trigger membership_plans_changed_text after update of description on membership_plans for each row
  when (old.description is distinct from new.description) execute function forget_html();
create trigger membership_plans_removed_text after delete on membership_plans for each row execute function forget_html();
create trigger digital_products_changed_text after update of description on digital_products for each row
  when (old.description is distinct from new.description) execute function forget_html();
create trigger digital_products_removed_text after delete on digital_products for each row execute function forget_html();
